-- Supplier-invoice database: six chained tables, trimmed to the columns that matter for matching.
-- Dates are ISO 8601 text (YYYY-MM-DD), money is a decimal with two places, flags are lower-case words.
CREATE TABLE suppliers (
    id             TEXT PRIMARY KEY,          -- UUID
    name           TEXT NOT NULL UNIQUE,
    org_number     TEXT NOT NULL UNIQUE,      -- NNNNNN-NNNN, Luhn
    vat_number     TEXT NOT NULL UNIQUE,      -- SE + organisation number + 01
    iban           TEXT NOT NULL UNIQUE,      -- SE, mod 97, stored without spaces
    bankgiro       TEXT NOT NULL UNIQUE,      -- NNNN-NNNN or NNN-NNNN, Luhn
    postgiro       TEXT NOT NULL UNIQUE,      -- N...-N, Luhn
    email          TEXT NOT NULL,
    phone          TEXT NOT NULL,
    street         TEXT NOT NULL,
    postal_code    TEXT NOT NULL,
    city           TEXT NOT NULL,
    payment_terms_days INTEGER NOT NULL
);
CREATE TABLE products (
    id          INTEGER PRIMARY KEY,
    supplier_id TEXT NOT NULL REFERENCES suppliers(id),
    name        TEXT NOT NULL UNIQUE,
    category    TEXT NOT NULL
);
CREATE TABLE corporations (
    id         INTEGER PRIMARY KEY,
    name       TEXT NOT NULL UNIQUE,
    org_number TEXT NOT NULL UNIQUE,
    city       TEXT NOT NULL,
    language   TEXT NOT NULL                  -- sv or en: what its staff write in
);
CREATE TABLE departments (
    id             INTEGER PRIMARY KEY,
    corporation_id INTEGER NOT NULL REFERENCES corporations(id),
    name           TEXT NOT NULL,
    cost_center    TEXT NOT NULL,
    UNIQUE (corporation_id, name)
);
CREATE TABLE order_rows (
    id                  INTEGER PRIMARY KEY,
    subscription_number TEXT NOT NULL,        -- five digits; one per subscription, a row per delivery period
    product_id          INTEGER NOT NULL REFERENCES products(id),
    department_id       INTEGER NOT NULL REFERENCES departments(id),
    subscriber_name     TEXT NOT NULL,
    period_start        TEXT NOT NULL,
    period_end          TEXT NOT NULL,
    quantity            INTEGER NOT NULL,
    unit_price          REAL NOT NULL,
    currency            TEXT NOT NULL,        -- SEK, EUR or GBP
    status              TEXT NOT NULL,        -- active, pending, paused, cancelled or expired
    UNIQUE (subscription_number, period_start)
);
CREATE TABLE invoices (
    id             INTEGER PRIMARY KEY,
    invoice_number TEXT NOT NULL UNIQUE,
    supplier_id    TEXT NOT NULL REFERENCES suppliers(id),
    corporation_id INTEGER NOT NULL REFERENCES corporations(id),
    ocr            TEXT NOT NULL UNIQUE,      -- Luhn
    invoice_date   TEXT NOT NULL,
    due_date       TEXT NOT NULL,
    total          REAL NOT NULL,             -- sum of its rows, VAT included
    currency       TEXT NOT NULL,
    status         TEXT NOT NULL              -- paid, unpaid, overdue or credited
);
CREATE TABLE invoice_rows (
    id           INTEGER PRIMARY KEY,
    invoice_id   INTEGER NOT NULL REFERENCES invoices(id),
    order_row_id INTEGER NOT NULL REFERENCES order_rows(id),
    net_amount   REAL NOT NULL,               -- quantity x unit price
    vat_amount   REAL NOT NULL
);
CREATE INDEX products_supplier ON products(supplier_id);
CREATE INDEX departments_corporation ON departments(corporation_id);
CREATE INDEX order_rows_subscription ON order_rows(subscription_number);
CREATE INDEX order_rows_product ON order_rows(product_id);
CREATE INDEX invoice_rows_order_row ON invoice_rows(order_row_id);
CREATE INDEX invoice_rows_invoice ON invoice_rows(invoice_id);
