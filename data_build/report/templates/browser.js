"use strict";
// Filters, list and conversation. Text of a model goes into the page by textContent alone, never as HTML.
(() => {
  const { block: BLOCK, rollouts } = JSON.parse(document.getElementById("index").textContent);
  const PAGE = 50, LONG = 1200, KEEP = 24;
  const at = id => document.getElementById(id);
  const tags = { "correct": "good", "solved": "good", "near miss": "near", "wrong": "bad", "not solved": "bad" };
  const unpacked = new Map();
  let matches = [], page = 0, current = -1, search = 0;

  function element(name, className, text) {
    const node = document.createElement(name);
    if (className) node.className = className;
    if (text !== undefined) node.textContent = text;
    return node;
  }

  async function block(number) {
    let promise = unpacked.get(number);
    if (!promise) {
      const text = atob(at("block-" + number).textContent);
      const bytes = Uint8Array.from(text, c => c.charCodeAt(0));
      const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
      promise = new Response(stream).json();
    }
    unpacked.delete(number);
    unpacked.set(number, promise);
    if (unpacked.size > KEEP) unpacked.delete(unpacked.keys().next().value);
    return promise;
  }

  const record = async i => (await block(Math.floor(i / BLOCK)))[i % BLOCK];

  function content(message) {
    if (typeof message.content === "string") return message.content;
    return (message.content || []).map(part => part.text ?? "[" + part.type + "]").join("\n");
  }

  function searchable(found) {
    const parts = found.messages.flatMap(m => [content(m), m.reasoning_content || "",
      ...(m.tool_calls || []).map(call => Object.values(call[call.type] || {}).join(" "))]);
    return parts.join("\n").toLowerCase();
  }

  // ---- filters

  function options(select, field) {
    const names = [...new Set(rollouts.map(r => r[field]))];
    select.append(new Option("all", ""), ...names.map(name => new Option(name, name)));
    select.parentElement.hidden = names.length < 2;
  }

  async function filter() {
    const mine = ++search;
    const run = at("f-run").value, set = at("f-set").value, bucket = at("f-bucket").value;
    const task = at("f-task").value.trim().toLowerCase(), text = at("f-text").value.trim().toLowerCase();
    let found = [];
    rollouts.forEach((r, i) => {
      if ((!run || r.run === run) && (!set || r.set === set) && (!bucket || r.bucket === bucket)
        && (!task || r.task.toLowerCase().includes(task))) found.push(i);
    });
    if (text) {
      const candidates = found;
      found = [];
      let pause = performance.now();
      for (let n = 0; n < candidates.length; n++) {
        const i = candidates[n];
        if (searchable(await record(i)).includes(text)) found.push(i);
        if (performance.now() - pause > 40) {
          at("count").textContent = `searching: ${n + 1} of ${candidates.length}, ${found.length} found`;
          await new Promise(resolve => setTimeout(resolve));
          if (mine !== search) return;
          pause = performance.now();
        }
      }
    }
    if (mine !== search) return;
    matches = found;
    page = 0;
    at("count").textContent = `${matches.length.toLocaleString("en")} of ${rollouts.length.toLocaleString("en")} rollouts`;
    list();
  }

  function list() {
    const start = page * PAGE, shown = matches.slice(start, start + PAGE);
    at("list").replaceChildren(...shown.map(i => {
      const r = rollouts[i], button = element("button");
      button.type = "button";
      button.dataset.rollout = i;
      button.setAttribute("aria-current", i === current);
      button.append(element("span", "tag " + (tags[r.bucket] || "none"), r.bucket), " ", element("strong", "", r.task));
      const facts = [r.run + (r.step === null ? "" : " @ " + r.step), r.turns + (r.turns === 1 ? " turn" : " turns")];
      if (r.calls) facts.push(r.calls + (r.calls === 1 ? " call" : " calls"));
      if (r.tokens !== null) facts.push(r.tokens.toLocaleString("en") + " tokens");
      button.append(element("div", "soft", facts.join(" · ")));
      if (r.answer) button.append(element("div", "", "answer: " + r.answer));
      const item = element("li");
      item.append(button);
      return item;
    }));
    at("list").scrollTop = 0;
    at("range").textContent = shown.length ? `${start + 1}–${start + shown.length}` : "none";
    at("previous").disabled = page === 0;
    at("next").disabled = start + PAGE >= matches.length;
  }

  // ---- one rollout

  function foldable(text, className) {
    if (text.length <= LONG && text.split("\n").length <= 24) return element("div", "text " + className, text);
    const folded = element("details"), summary = element("summary");
    summary.append(`${text.length.toLocaleString("en")} characters: `, element("span", "soft", text.slice(0, 160).trim() + " …"));
    folded.append(summary, element("div", "text " + className, text));
    return folded;
  }

  function pretty(text) {
    try { return JSON.stringify(JSON.parse(text), null, 2); } catch { return String(text); }
  }

  function message(m) {
    const box = element("div", "message " + (["system", "user", "assistant", "tool"].includes(m.role) ? m.role : "user"));
    box.append(element("div", "role", m.role === "tool" ? "result of " + (m.name || "tool") : m.role));
    if (m.reasoning_content) {
      const folded = element("details", "thinking");
      folded.append(element("summary", "", `thinking, ${m.reasoning_content.length.toLocaleString("en")} characters`),
        element("div", "text", m.reasoning_content));
      box.append(folded);
    }
    const text = content(m);
    if (text) box.append(foldable(text, m.role === "tool" ? "code" : ""));
    for (const call of m.tool_calls || []) {
      const body = call[call.type] || {};
      const node = element("div", "call");
      node.append(element("div", "role", "calls " + (body.name || "")),
        foldable(pretty(body.arguments ?? body.input ?? ""), "code"));
      box.append(node);
    }
    return box;
  }

  function plain(value) {
    if (Array.isArray(value) && value.every(v => typeof v !== "object")) return value.join(" · ") || "none";
    return typeof value === "object" ? JSON.stringify(value, null, 1) : String(value);
  }

  function beside(r, found) {
    const box = element("aside", "gold"), facts = element("dl");
    const add = (list, name, value, className) =>
      list.append(element("dt", "", name), element("dd", "text " + (className || ""), value));
    box.append(element("h3", "", "Gold"));
    for (const [name, value] of Object.entries(found.gold)) add(facts, name.replace("_", " "), plain(value), "answer");
    add(facts, "outcome", r.bucket);
    add(facts, "reward", found.reward === null ? "not scored" : String(found.reward));
    for (const error of found.errors) add(facts, "error", error);
    const more = element("details"), rest = element("dl");
    for (const [name, value] of Object.entries(found.scores)) add(rest, name, String(Math.round(value * 1e4) / 1e4));
    add(rest, "stopped by", (found.stop || "unknown") + (found.truncated ? ", truncated" : ""));
    add(rest, "tokens", `${r.tokens ?? "?"} generated, ${found.prompt_tokens ?? "?"} sent`);
    add(rest, "model", found.model);
    add(rest, "from", found.source);
    more.append(element("summary", "", "scores and source"), rest);
    more.open = innerWidth > 1000;
    box.append(facts, more);
    const task = element("details"), fields = element("dl");
    for (const [name, value] of Object.entries(found.task)) add(fields, name, plain(value));
    task.append(element("summary", "", "the task's other fields"), fields);
    if (fields.children.length) box.append(task);
    return box;
  }

  async function open(i, scroll) {
    current = i;
    const r = rollouts[i], found = await record(i);
    if (current !== i) return;
    const talk = element("div");
    talk.append(element("h3", "", `${r.task}, rollout ${found.number + 1} of ${r.run}`), ...found.messages.map(message));
    const view = element("div", "opened");
    view.append(talk, beside(r, found));
    at("opened").replaceChildren(view);
    for (const button of at("list").querySelectorAll("button"))
      button.setAttribute("aria-current", Number(button.dataset.rollout) === i);
    if (scroll && innerWidth <= 720) at("opened").scrollIntoView({ behavior: "smooth" });
    history.replaceState(null, "", "#rollout-" + i);
  }

  at("list").addEventListener("click", event => {
    const button = event.target.closest("button");
    if (button) open(Number(button.dataset.rollout), true);
  });
  at("previous").addEventListener("click", () => { page--; list(); });
  at("next").addEventListener("click", () => { page++; list(); });
  let typing;
  for (const id of ["f-run", "f-set", "f-bucket"]) at(id).addEventListener("change", filter);
  for (const id of ["f-task", "f-text"]) at(id).addEventListener("input", () => {
    clearTimeout(typing);
    typing = setTimeout(filter, 250);
  });
  options(at("f-run"), "run");
  options(at("f-set"), "set");
  options(at("f-bucket"), "bucket");
  filter();
  const linked = /^#rollout-(\d+)$/.exec(location.hash);
  if (linked && Number(linked[1]) < rollouts.length) open(Number(linked[1])).then(() => at("rollouts").scrollIntoView());
})();
