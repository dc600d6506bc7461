'use strict';
// The report of one run: reads the JSON in #run and builds the page. No network, no state but the page.
const run = JSON.parse(document.getElementById('run').textContent);
const main = document.getElementById('main');
const charts = [];  // functions that draw one plot each, again when the colours change

// ---- small things ---------------------------------------------------------------------------
function el(name, attributes, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes || {}))
    if (value !== undefined && value !== null) node.setAttribute(key, value);
  for (const child of children.flat())
    if (child !== undefined && child !== null) node.append(child);
  return node;
}
const sum = (list, f) => list.reduce((total, item) => total + (f ? f(item) : item) || 0, 0);
const number = (value, digits) => value.toLocaleString('en', {maximumFractionDigits: digits ?? 0});
const percent = share => Number.isFinite(share) ? number(100 * share, share < 0.1 ? 1 : 0) + ' %' : '–';
function seconds(value) {
  if (!Number.isFinite(value)) return '–';
  if (value === 0) return '0';
  if (value >= 7200) return number(value / 3600, 2) + ' h';
  if (value >= 120) return number(value / 60, 1) + ' min';
  if (value >= 1) return number(value, 2) + ' s';
  if (value >= 1e-3) return number(value * 1e3, value >= 0.1 ? 0 : 2) + ' ms';
  return number(value * 1e6, value >= 1e-4 ? 0 : 1) + ' µs';
}
function bytes(value) {
  for (const [unit, size] of [['TiB', 2 ** 40], ['GiB', 2 ** 30], ['MiB', 2 ** 20], ['KiB', 2 ** 10]])
    if (Math.abs(value) >= size) return number(value / size, 1) + ' ' + unit;
  return number(value) + ' B';
}
const colour = name => getComputedStyle(document.documentElement).getPropertyValue('--' + name).trim();
const base = path => path.replace(/^.*\//, '');
const place_of = text => { const at = text.lastIndexOf(':'); return {file: text.slice(0, at), line: +text.slice(at + 1)}; };
const anchor = place => { const {file, line} = place_of(place); return 'src-' + Object.keys(run.sources || {}).indexOf(file) + '-' + line; };
const source_lines = {};
for (const [file, text] of Object.entries(run.sources || {})) source_lines[file] = text.split('\n');
function source_text(place) {
  const {file, line} = place_of(place);
  return (source_lines[file]?.[line - 1] || '').trim();
}
function link(place) {
  const {file, line} = place_of(place);
  const text = base(file) + ':' + line;
  return source_lines[file] ? el('a', {href: '#' + anchor(place)}, text) : text;
}

// ---- sections and tables --------------------------------------------------------------------
const contents = el('ul');
document.getElementById('contents').append(contents);
const short = {time: 'Time', lines: 'SIAL lines', fetches: 'Blocks', balance: 'Pardos', memory: 'Memory', moved: 'Bytes moved', disk: 'Disk'};
function section(id, title, text) {
  const node = el('section', {id, 'aria-labelledby': id + '-title'}, el('h2', {id: id + '-title'}, title),
                  text ? el('p', {class: 'soft'}, text) : null);
  contents.append(el('li', {}, el('a', {href: '#' + id}, short[id] || title)));
  main.append(node);
  return node;
}
// columns: {title, value: row -> number or text, show: row -> node or text, left, code, wrap, bar}
function table(columns, rows, {caption, sort, shown = 15, narrow} = {}) {
  const body = el('tbody');
  const headers = columns.map((column, k) => {
    const button = el('button', {type: 'button'}, column.title);
    const head = el('th', {scope: 'col', class: column.left ? 'left' : null}, button);
    button.addEventListener('click', () => order(k, head.getAttribute('aria-sort') !== 'descending'));
    return head;
  });
  const more = el('button', {type: 'button', class: 'more'});
  let all = rows.length <= shown + 3;
  const largest = columns.map(c => c.bar ? Math.max(...rows.map(c.value), 0) : 0);
  function fill() {
    body.replaceChildren(...(all ? rows : rows.slice(0, shown)).map(row => el('tr', {}, columns.map((column, k) => {
      const cell = el('td', {class: [column.left && 'left', column.code && 'code', column.wrap && 'wrap', column.bar && 'bar'].filter(Boolean).join(' ') || null});
      const content = column.show ? column.show(row) : String(column.value(row));
      cell.append(column.code ? el('code', {title: content}, content) : content);
      if (column.bar && largest[k] > 0) {
        const bar = el('i', {'aria-hidden': 'true'});
        bar.style.width = 100 * column.value(row) / largest[k] + '%';
        cell.append(bar);
      }
      return cell;
    }))));
    more.hidden = all;
    more.textContent = `Show all ${rows.length} rows`;
  }
  function order(k, down) {
    const value = columns[k].value;
    rows = [...rows].sort((a, b) => {
      const [x, y] = [value(a), value(b)];
      const result = typeof x === 'string' ? x.localeCompare(y, 'en', {numeric: true}) : x - y;
      return down ? -result : result;
    });
    headers.forEach((head, n) => n === k ? head.setAttribute('aria-sort', down ? 'descending' : 'ascending') : head.removeAttribute('aria-sort'));
    fill();
  }
  more.addEventListener('click', () => { all = true; fill(); });
  const node = el('div', {}, el('div', {class: 'scroll', tabindex: '0', role: 'region', 'aria-label': caption || 'table'},
    el('table', {class: narrow ? 'narrow' : null}, caption ? el('caption', {}, caption) : null, el('thead', {}, el('tr', {}, headers)), body)), more);
  if (sort !== undefined) order(sort, true); else fill();
  return node;
}

// ---- plots ------------------------------------------------------------------------------------
function plot(parent, label, configure, low) {
  if (!window.Chart) return;
  const canvas = el('canvas', {role: 'img', 'aria-label': label});
  const holder = el('div', {class: low ? 'plot low' : 'plot'}, canvas);
  parent.append(holder);
  let chart = null;
  const draw = () => {
    if (chart) chart.destroy();
    Chart.defaults.color = colour('soft');
    Chart.defaults.borderColor = colour('rule');
    Chart.defaults.font.family = getComputedStyle(document.body).fontFamily;
    Chart.defaults.animation = false;
    Chart.defaults.maintainAspectRatio = false;
    chart = new Chart(canvas, configure(holder));
  };
  draw();
  charts.push(draw);
  return draw;
}
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => charts.forEach(draw => draw()));

// ---- what the numbers mean --------------------------------------------------------------------
const kinds = [
  ['compute', 'compute', m => Math.max(0, m.seconds - waits(m))],
  ['block', 'wait for blocks', m => Math.max(0, m.block_wait_seconds - (m.disk_wait_seconds || 0))],
  ['disk', 'wait for the disk', m => m.disk_wait_seconds || 0],
  ['device', 'device transfers', m => m.device_wait_seconds || 0],
  ['barrier', 'barriers', m => Math.max(0, m.barrier_seconds)],
  ['put', 'wait for puts', m => m.transfer_seconds],
  ['chunk', 'wait for iterations', m => m.chunk_wait_seconds || 0],
  ['checkpoint', 'checkpoints', m => m.checkpoint_seconds || 0],
];
function waits(m) {
  return m.block_wait_seconds + (m.device_wait_seconds || 0) + m.barrier_seconds + m.transfer_seconds +
         (m.chunk_wait_seconds || 0) + (m.checkpoint_seconds || 0);
}
const everybody = run.programs.flatMap(p => p.workers);
const used_kinds = kinds.filter(([, , f]) => sum(everybody, f) > 0);

// ---- the head -----------------------------------------------------------------------------------
function head() {
  const title = run.title || run.programs.map(p => p.name).join(', ');
  document.title = title + ' – Blockyard run';
  const where = run.where || {};
  const molecule = run.molecule;
  const what = [molecule && `${molecule.formula}, ${molecule.basis} (${molecule.basis_functions} functions)`,
                run.method && run.method.toUpperCase(), `${where.workers} worker${where.workers === 1 ? '' : 's'}`,
                where.processes > 1 && `${where.processes} processes`,
                where.host && 'on ' + where.host, where.started && where.started.replace('T', ' ').replace('Z', ' UTC')];
  const total = sum(everybody, m => m.seconds);
  const energy = run.energies?.filter(e => /^(ccsd_t|ccsd|mp2|scf)$/.test(e.key)).pop();
  const cards = [[seconds(run.seconds), 'wall time']];
  if (energy) cards.push([energy.hartree.toFixed(7), energy.title + ', hartree']);
  if (total > 0) cards.push([percent(sum(everybody, kinds[0][2]) / total), 'of the workers’ time computing']);
  const flops = sum(everybody, m => m.flops);
  if (flops > 0 && run.seconds > 0) cards.push([number(flops / run.seconds / 1e9, 2) + ' Gflop/s', 'contractions, all workers']);
  cards.push([bytes(run.peak_rss_bytes), 'most memory of a process']);
  const spilled = sum(run.servers, s => s.spilled_bytes);
  cards.push([spilled ? bytes(spilled) : 'none', 'written to disk for want of memory']);
  document.getElementById('top').append(el('h1', {}, title), el('p', {class: 'soft'}, what.filter(Boolean).join(' · ')),
    el('ul', {class: 'cards'}, cards.map(([value, name]) => el('li', {}, el('b', {}, value), el('span', {}, name)))));
  document.getElementById('foot').append(`Made by blockyard ${run.version}. ` + (where.command ? 'Command: ' + where.command + '. ' : ''),
    where.processor ? `${where.processor}, ${where.cores} cores.` : '');
}

function energies() {
  if (!run.energies?.length) return;
  const node = section('energies', 'Energies');
  node.append(table([{title: 'energy', left: true, value: e => e.title}, {title: 'hartree', value: e => e.hartree, show: e => e.hartree.toFixed(10)}], run.energies, {narrow: true}));
}

function times() {
  const node = section('time', 'Where the time went',
    'Seconds of all workers together, by program. What a worker waits for is not hidden behind work; look-ahead is there to make it small.');
  const label = 'Stacked bars: seconds of each program by kind; the table below has the same numbers.';
  plot(node, label, () => ({
    type: 'bar',
    data: {labels: run.programs.map(p => p.name), datasets: used_kinds.map(([key, name, f]) => ({label: name, backgroundColor: colour(key), data: run.programs.map(p => sum(p.workers, f))}))},
    options: {indexAxis: 'y', scales: {x: {stacked: true, title: {display: true, text: 'seconds of workers'}}, y: {stacked: true}},
              plugins: {legend: {position: 'bottom'}, tooltip: {callbacks: {label: item => ` ${item.dataset.label}: ${seconds(item.raw)}`}}}},
  }), run.programs.length < 4);
  node.append(el('h3', {}, 'Shares of the workers’ time'), table([
    {title: 'program', left: true, value: p => p.name},
    {title: 'wall', value: p => p.seconds, show: p => seconds(p.seconds), bar: true},
    ...used_kinds.map(([, name, f]) => ({title: name.replace('wait for ', ''), value: p => sum(p.workers, f), show: p => percent(sum(p.workers, f) / sum(p.workers, m => m.seconds))})),
    {title: 'Gflop', value: p => sum(p.workers, m => m.flops) / 1e9, show: p => number(sum(p.workers, m => m.flops) / 1e9, 2)},
    {title: 'operations', value: p => sum(p.workers, m => m.block_operations), show: p => number(sum(p.workers, m => m.block_operations))},
  ], run.programs));
}

// Rows of all workers put together by a key.
function together(get, key, add) {
  const rows = new Map();
  for (const program of run.programs)
    for (const [worker, metrics] of program.workers.entries())
      for (const item of get(metrics)) {
        const name = program.name + ' ' + key(item);
        if (!rows.has(name)) rows.set(name, {program: program.name, workers: [], ...item, first: true});
        const row = rows.get(name);
        if (row.first) row.first = false; else add(row, item);
        row.workers[worker] = item;
      }
  return [...rows.values()];
}
const add_fields = (...names) => (row, item) => names.forEach(n => { row[n] += item[n]; });

const line_rows = together(m => m.line_times || [], l => l.place,
  add_fields('times', 'seconds', 'block_wait_seconds', 'disk_wait_seconds', 'barrier_wait_seconds', 'put_wait_seconds'));
for (const row of line_rows) row.wait = row.block_wait_seconds + row.barrier_wait_seconds + row.put_wait_seconds;

function lines() {
  if (!line_rows.length) return;
  const node = section('lines', 'SIAL lines', 'Every line that works on blocks, summed over workers. Sort by a column with its heading; a line leads to its source.');
  const total = sum(line_rows, l => l.seconds);
  node.append(table([
    {title: 'line', left: true, value: l => l.place, show: l => link(l.place)},
    {title: 'time', value: l => l.seconds, show: l => seconds(l.seconds), bar: true},
    {title: 'share', value: l => l.seconds, show: l => percent(l.seconds / total)},
    {title: 'waiting', value: l => l.wait, show: l => seconds(l.wait), bar: true},
    {title: 'source', left: true, code: true, value: l => source_text(l.place), show: l => source_text(l.place) || '(source not at hand)'},
    {title: 'blocks', value: l => l.block_wait_seconds, show: l => seconds(l.block_wait_seconds)},
    {title: 'barriers', value: l => l.barrier_wait_seconds, show: l => seconds(l.barrier_wait_seconds)},
    {title: 'puts', value: l => l.put_wait_seconds, show: l => seconds(l.put_wait_seconds)},
    {title: 'times', value: l => l.times, show: l => number(l.times)},
    {title: 'program', left: true, value: l => l.program},
  ], line_rows, {caption: 'SIAL lines by time', sort: 1}));
}

function fetches() {
  const rows = together(m => m.lines, l => l.place + ' ' + l.array, (row, item) => {
    add_fields('gets', 'accesses', 'blocked', 'wait_seconds', 'wasted_prefetches')(row, item);
    row.first_wait_seconds = Math.max(row.first_wait_seconds, item.first_wait_seconds);
    if (item.prefetch_depth >= row.prefetch_depth) { row.prefetch_depth = item.prefetch_depth; row.prefetch_reason = item.prefetch_reason; }
  });
  if (!rows.length) return;
  const gets = sum(everybody, m => m.gets), hits = sum(everybody, m => m.cache_hits);
  const node = section('fetches', 'Blocks: cache and look-ahead',
    `${number(gets)} blocks were asked for; ${percent(hits / gets)} were in the worker’s cache or under way already, ` +
    `${number(sum(everybody, m => m.prefetches))} were asked for ahead of their get. “On time” is the share of uses that did not wait.`);
  const ratio = l => l.accesses ? 1 - l.blocked / l.accesses : 1;
  node.append(table([
    {title: 'line', left: true, value: l => l.place, show: l => link(l.place)},
    {title: 'array', left: true, value: l => l.array},
    {title: 'gets', value: l => l.gets, show: l => number(l.gets)},
    {title: 'on time', value: ratio, show: l => percent(ratio(l))},
    {title: 'wait', value: l => l.wait_seconds, show: l => seconds(l.wait_seconds), bar: true},
    {title: 'first wait', value: l => l.first_wait_seconds, show: l => seconds(l.first_wait_seconds)},
    {title: 'mean wait', value: l => l.gets ? l.wait_seconds / l.gets : 0, show: l => seconds(l.gets ? l.wait_seconds / l.gets : 0)},
    {title: 'depth', value: l => l.prefetch_depth},
    {title: 'let go unused', value: l => l.wasted_prefetches, show: l => number(l.wasted_prefetches)},
    {title: 'why this depth', left: true, value: l => l.prefetch_reason},
  ], rows, {caption: 'Lines that fetch blocks, by wait', sort: 4}));
}

function balance() {
  const rows = together(m => m.pardos || [], p => p.place, add_fields('iterations', 'seconds', 'wait_seconds'));
  if (!rows.length) return;
  for (const row of rows) {
    const busy = run.programs.find(p => p.name === row.program).workers.map((_, w) => row.workers[w] ? row.workers[w].seconds - row.workers[w].wait_seconds : 0);
    row.busy = busy; row.mean = sum(busy) / busy.length; row.most = Math.max(...busy);
    row.evenness = row.most > 0 ? row.mean / row.most : 1;
  }
  rows.sort((a, b) => b.most - a.most);
  const node = section('balance', 'Pardos: balance across workers',
    'Busy time of each worker in each parallel loop, waits left out. Evenness is the mean over the most: at 50 % half of the workers’ time is lost there.');
  const workers = Math.max(...rows.map(r => r.busy.length));
  if (workers > 1) {
    const top = rows.slice(0, 6);
    const colours = ['compute', 'block', 'barrier', 'disk', 'put', 'chunk'];
    plot(node, 'Stacked bars: busy seconds of each worker in the six longest pardos; the table below has the numbers.', () => ({
      type: 'bar',
      data: {labels: [...Array(workers).keys()].map(w => 'worker ' + w),
             datasets: top.map((r, k) => ({label: base(r.place), backgroundColor: colour(colours[k]), data: r.busy}))},
      options: {indexAxis: 'y', scales: {x: {stacked: true, title: {display: true, text: 'busy seconds'}}, y: {stacked: true}},
                plugins: {legend: {position: 'bottom'}, tooltip: {callbacks: {label: item => ` ${item.dataset.label}: ${seconds(item.raw)}`}}}},
    }), workers < 5);
  }
  node.append(table([
    {title: 'pardo', left: true, value: r => r.place, show: r => link(r.place)},
    {title: 'source', left: true, code: true, value: r => source_text(r.place)},
    {title: 'dealing', left: true, value: r => r.policy},
    {title: 'entered', value: r => r.entered, show: r => number(r.entered)},
    {title: 'iterations', value: r => r.iterations, show: r => number(r.iterations)},
    {title: 'busiest worker', value: r => r.most, show: r => seconds(r.most), bar: true},
    {title: 'mean', value: r => r.mean, show: r => seconds(r.mean)},
    {title: 'evenness', value: r => r.evenness, show: r => percent(r.evenness)},
    {title: 'waiting in it', value: r => r.wait_seconds, show: r => seconds(r.wait_seconds)},
    {title: 'program', left: true, value: r => r.program},
  ], rows, {caption: 'Parallel loops by their busiest worker', sort: 5}));
}

function memory() {
  const ranks = (run.ranks || []).filter(r => r.memory.length);
  if (!ranks.length) return;
  const node = section('memory', 'Memory over time', 'What each rank held against its budget, by purpose. Caches take what is left on purpose: full is no fault.');
  const name = r => `${r.role} ${r.number}` + (run.where?.processes > 1 ? ` (process ${r.process})` : '');
  const select = el('select', {id: 'rank'}, ranks.map((r, k) => el('option', {value: k}, name(r))));
  node.append(el('p', {}, el('label', {for: 'rank'}, 'Rank: '), select));
  const colours = ['compute', 'barrier', 'block', 'put'];
  const draw = plot(node, 'Stacked areas: bytes of the chosen rank over time by purpose, with its budget; the table has the peaks.', () => {
    const rank = ranks[+select.value];
    const unit = 2 ** 20;
    const most = Math.max(...rank.memory.map(row => sum(row.slice(1))));
    const datasets = rank.memory_purposes.map((purpose, k) => ({label: purpose, fill: k === 0 ? 'origin' : '-1', pointRadius: 0, borderWidth: 1, borderColor: colour(colours[k]), stepped: true,
      backgroundColor: colour(colours[k]) + '99', data: rank.memory.map(row => ({x: row[0], y: row[k + 1] / unit}))}));
    if (most > rank.budget_bytes / 8)
      datasets.push({label: 'budget', fill: false, pointRadius: 0, borderDash: [6, 4], borderWidth: 2, borderColor: colour('ink'), stack: 'budget',
        data: [rank.memory[0], rank.memory[rank.memory.length - 1]].map(row => ({x: row[0], y: rank.budget_bytes / unit}))});
    return {type: 'line', data: {datasets},
      options: {parsing: false, scales: {x: {type: 'linear', title: {display: true, text: 'seconds since the start'}}, y: {stacked: true, beginAtZero: true, title: {display: true, text: 'MiB'}}},
                interaction: {mode: 'index', intersect: false}, plugins: {legend: {position: 'bottom'}}}};
  });
  if (draw) select.addEventListener('change', draw);
  const peak = r => Math.max(...r.memory.map(row => sum(row.slice(1))));
  node.append(table([
    {title: 'rank', left: true, value: name},
    {title: 'most seen', value: peak, show: r => bytes(peak(r)), bar: true},
    {title: 'budget', value: r => r.budget_bytes, show: r => bytes(r.budget_bytes)},
    {title: 'share', value: r => peak(r) / r.budget_bytes, show: r => percent(peak(r) / r.budget_bytes)},
  ], ranks));
}

function moved() {
  const workers = run.where?.workers || 0, servers = run.servers.length;
  if (!workers || !everybody.some(m => m.bytes_from_servers)) return;
  const process = (role, n) => run.ranks?.find(r => r.role === role && r.number === n)?.process ?? 0;
  const many = (run.where.processes || 1) > 1;
  const node = section('moved', 'Bytes moved', many
    ? 'Blocks between processes: from the server of the row’s process to workers of the column’s, and back with puts. On the diagonal nothing leaves the process.'
    : 'Blocks between workers and servers. All ranks are threads of one process here: a block that is fetched is shared, not copied.');
  const cells = new Map();
  const count = (from, to, amount) => cells.set(from + '>' + to, (cells.get(from + '>' + to) || 0) + amount);
  for (const program of run.programs)
    program.workers.forEach((m, w) => {
      (m.bytes_from_servers || []).forEach((b, s) => count(many ? process('server', s) : 's' + s, many ? process('worker', w) : 'w' + w, b));
      (m.bytes_to_servers || []).forEach((b, s) => count(many ? process('worker', w) : 'w' + w, many ? process('server', s) : 's' + s, b));
    });
  const label = key => many ? 'process ' + key : (key[0] === 's' ? 'server ' : 'worker ') + key.slice(1);
  const names = many ? [...Array(run.where.processes).keys()]
                     : [...[...Array(workers).keys()].map(w => 'w' + w), ...[...Array(servers).keys()].map(s => 's' + s)];
  const most = Math.max(1, ...cells.values());
  node.append(el('div', {class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'bytes moved'}, el('table', {},
    el('caption', {}, 'From the row to the column'),
    el('thead', {}, el('tr', {}, el('th', {class: 'left'}, 'from \\ to'), names.map(n => el('th', {scope: 'col'}, label(n))))),
    el('tbody', {}, names.map(from => el('tr', {}, el('th', {scope: 'row', class: 'left'}, label(from)), names.map(to => {
      const value = cells.get(from + '>' + to) || 0;
      const cell = el('td', {class: 'heat'}, value ? bytes(value) : '–');
      cell.style.setProperty('--h', (0.32 * value / most).toFixed(3));
      return cell;
    })))))));
}

function disk() {
  const node = section('disk', 'Servers and disk');
  node.append(table([
    {title: 'server', left: true, value: s => s.n, show: s => 'server ' + s.n},
    {title: 'gets', value: s => s.gets, show: s => number(s.gets)},
    {title: 'puts', value: s => s.puts, show: s => number(s.puts)},
    {title: 'sent', value: s => s.bytes_sent, show: s => bytes(s.bytes_sent)},
    {title: 'received', value: s => s.bytes_received, show: s => bytes(s.bytes_received)},
    {title: 'most held', value: s => s.peak_bytes, show: s => bytes(s.peak_bytes)},
    {title: 'written to disk', value: s => s.spilled_bytes, show: s => bytes(s.spilled_bytes)},
    {title: 'read back', value: s => s.read_back_bytes, show: s => bytes(s.read_back_bytes)},
  ], run.servers.map((s, n) => ({n, ...s}))));
  const plan = run.memory_plan;
  if (plan) node.append(el('p', {class: 'soft'}, `Planned: arrays take at most ${bytes(plan.distributed_bytes)}, each server holds ${bytes(plan.server_bytes)}, ` +
    (plan.spilled_bytes > 0 ? `so up to ${bytes(plan.spilled_bytes)} go to disk.` : 'so nothing needs the disk.')));
}

function supers() {
  const rows = together(m => Object.entries(m.super_instructions).map(([name, use]) => ({name, ...use})), s => s.name, add_fields('calls', 'seconds'));
  if (!rows.length) return;
  const node = section('supers', 'Super instructions');
  node.append(table([
    {title: 'super instruction', left: true, value: s => s.name},
    {title: 'calls', value: s => s.calls, show: s => number(s.calls)},
    {title: 'time', value: s => s.seconds, show: s => seconds(s.seconds), bar: true},
    {title: 'each', value: s => s.seconds / s.calls, show: s => seconds(s.seconds / s.calls)},
    {title: 'program', left: true, value: s => s.program},
  ], rows, {caption: 'Super instructions by time', sort: 2}));
}

// Whatever a run says of devices: one row for each, one column for each number.
function devices() {
  const rows = (run.devices || []).map((d, n) => ({device: n, ...d}));
  run.programs.forEach(p => p.workers.forEach((m, w) => {
    if (m.device && Object.values(m.device).some(v => v)) rows.push({program: p.name, worker: w, ...m.device});
  }));
  if (!rows.length) return;
  const node = section('devices', 'Devices');
  const keys = [...new Set(rows.flatMap(Object.keys))].filter(k => rows.some(r => typeof r[k] !== 'object'));
  const show = (key, value) => value === undefined ? '' : typeof value !== 'number' ? String(value)
    : /bytes/.test(key) ? bytes(value) : /seconds/.test(key) ? seconds(value) : /ratio|share/.test(key) ? percent(value) : number(value, 2);
  node.append(table(keys.map(key => ({title: key.replace(/_(bytes|seconds)$/, '').replace(/_/g, ' '), left: rows.every(r => typeof r[key] === 'string'),
    value: r => r[key] ?? 0, show: r => show(key, r[key])})), rows));
}

function decisions() {
  if (!run.decisions?.length) return;
  const node = section('decisions', 'Decisions', 'What the runtime chose before it began, and why. The depths of look-ahead stand with the lines that fetch.');
  node.append(table([
    {title: 'what', left: true, value: d => d.what},
    {title: 'choice', left: true, wrap: true, value: d => d.choice},
    {title: 'why', left: true, wrap: true, value: d => d.reason},
  ], run.decisions));
}

function sources() {
  const files = Object.keys(source_lines);
  if (!files.length) return;
  const node = section('sources', 'Sources', 'The programs as they ran, with the time of each line over all workers.');
  node.classList.add('long');
  const at = new Map();
  for (const row of line_rows) at.set(row.place, (at.get(row.place) || 0) + row.seconds);
  const most = Math.max(1e-30, ...at.values());
  files.forEach((file, k) => {
    const total = sum([...at].filter(([place]) => place_of(place).file === file), ([, s]) => s);
    const list = source_lines[file].map((text, n) => {
      const time = at.get(`${file}:${n + 1}`) || 0;
      const row = el('div', {id: `src-${k}-${n + 1}`, class: 'heat'}, el('span', {class: 'n'}, String(n + 1)),
                     el('span', {class: 't'}, time > 0 ? seconds(time) : ''), el('span', {}, text || ' '));
      row.style.setProperty('--h', time > 0 ? (0.06 + 0.3 * time / most).toFixed(3) : 0);
      return row;
    });
    node.append(el('details', {}, el('summary', {}, el('code', {}, base(file)), el('span', {class: 'soft'}, ` – ${seconds(total)}`)),
                   el('pre', {class: 'source', tabindex: '0', 'aria-label': 'source of ' + base(file)}, list)));
  });
}
// A link to a line opens the file that it is in.
function reveal() {
  const target = document.getElementById(location.hash.slice(1));
  const closed = target?.closest('details');
  if (!closed) return;
  closed.open = true;
  target.scrollIntoView({block: 'center'});
}
addEventListener('hashchange', reveal);
addEventListener('beforeprint', () => charts.forEach(draw => draw()));

for (const part of [head, energies, times, lines, fetches, balance, memory, moved, disk, supers, devices, decisions, sources]) part();
reveal();
