from supplier_invoices.taskset import SupplierInvoicesEnv, SupplierInvoicesTaskset

__all__ = ["SupplierInvoicesEnv", "SupplierInvoicesTaskset"]
