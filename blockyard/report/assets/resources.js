// Sections of what they did it with: memory, transfers, disk, devices, decisions; and the sources.

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
                interaction: {mode: 'index', intersect: false}}};
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
  const workers = run.where?.workers || 0, servers = run.servers.length, processes = run.where?.processes || 1;
  if (!workers || !everybody.some(m => m.bytes_from_servers || m.bytes_from_processes)) return;
  // What is more than 64 is shown in groups.
  const in_group = count => Math.max(1, Math.ceil(count / 64));
  const groups = (key, name, names, count) => [...Array(Math.ceil(count / in_group(count))).keys()].map(k => {
    const first = k * in_group(count), last = Math.min(first + in_group(count), count) - 1;
    return {key: key + k, label: last > first ? `${names} ${first} to ${last}` : `${name} ${first}`};
  });
  const process_of = new Map((run.ranks || []).map(r => [r.role + r.number, r.process]));
  const many = processes > 1;
  const group = (role, n) => many ? 'p' + Math.floor((process_of.get(role + n) ?? 0) / in_group(processes))
                                  : role[0] + Math.floor(n / in_group(role === 'worker' ? workers : servers));
  const node = section('moved', 'Bytes moved', many
    ? 'Blocks between processes: from the server of the row’s process to workers of the column’s, and back with puts. On the diagonal nothing leaves the process, or the group of processes where there are many.'
    : 'Blocks between workers and servers. All ranks are threads of one process here: a block that is fetched is shared, not copied.');
  const cells = new Map();
  const count = (from, to, amount) => cells.set(from + '>' + to, (cells.get(from + '>' + to) || 0) + amount);
  for (const program of run.programs)
    program.workers.forEach((m, w) => {
      const here = group('worker', w);
      (m.bytes_from_servers || []).forEach((b, s) => count(group('server', s), here, b));
      (m.bytes_to_servers || []).forEach((b, s) => count(here, group('server', s), b));
      (m.bytes_from_processes || []).forEach((b, p) => count('p' + p, here, b));
      (m.bytes_to_processes || []).forEach((b, p) => count(here, 'p' + p, b));
    });
  const names = many ? groups('p', 'process', 'processes', processes)
                     : [...groups('w', 'worker', 'workers', workers), ...groups('s', 'server', 'servers', servers)];
  const most = Math.max(1, ...cells.values());
  node.append(el('div', {class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'bytes moved'}, el('table', {},
    el('caption', {}, 'From the row to the column'),
    el('thead', {}, el('tr', {}, el('th', {class: 'left'}, 'from \\ to'), names.map(n => el('th', {scope: 'col'}, n.label)))),
    el('tbody', {}, names.map(from => el('tr', {}, el('th', {scope: 'row', class: 'left'}, from.label), names.map(to => {
      const value = cells.get(from.key + '>' + to.key) || 0;
      const cell = el('td', {class: 'heat'}, value ? bytes(value) : '–');
      cell.style.setProperty('--h', (0.32 * value / most).toFixed(3));
      return cell;
    })))))));
}

function disk() {
  const node = section('disk', 'Servers and disk');
  node.append(number_table(run.servers.map((s, n) => ({server: 'server ' + n, ...s})), server_titles, run.metrics?.server));
  const plan = run.memory_plan;
  if (plan) node.append(el('p', {class: 'soft'}, `Planned: arrays take at most ${bytes(plan.distributed_bytes)}, each server holds ${bytes(plan.server_bytes)}, ` +
    (plan.spilled_bytes > 0 ? 'so what does not fit goes to disk.' : 'so nothing needs the disk.')));
}

function supers() {
  const rows = together(m => Object.entries(m.super_instructions).map(([name, use]) => ({name, ...use})), s => s.name, add_fields('calls', 'device_calls', 'seconds'));
  if (!rows.length) return;
  const node = section('supers', 'Super instructions');
  const on_host = s => s.calls - s.device_calls, each = s => on_host(s) ? s.seconds / on_host(s) : 0;
  node.append(table([
    {title: 'super instruction', left: true, value: s => s.name},
    {title: 'calls', value: s => s.calls, show: s => number(s.calls)},
    {title: 'time', hint: 'on the host', value: s => s.seconds, show: s => seconds(s.seconds), bar: true},
    {title: 'each', hint: 'on the host', value: each, show: s => seconds(each(s))},
    ...(rows.some(s => s.device_calls) ? [{title: 'on a device', hint: 'of the calls', value: s => s.device_calls, show: s => number(s.device_calls)}] : []),
    {title: 'program', left: true, value: s => s.program},
  ], rows, {caption: 'Super instructions by time', sort: 2}));
}

const server_titles = {server: 'server', gets: 'gets', puts: 'puts', bytes_sent: 'sent', bytes_received: 'received',
  peak_bytes: 'most held', spilled_bytes: 'written to disk', read_back_bytes: 'read back'};
const device_titles = {device: 'device', program: 'program', worker: 'worker', kind: 'kind', name: 'name', memory_bytes: 'memory',
  runs: 'operations', fallbacks: 'on the host instead', bytes_to_device: 'to the device', bytes_from_device: 'back',
  saved_bytes: 'copies saved', pool_hit_ratio: 'pool hits', peak_bytes: 'most held', wait_seconds: 'waited'};
// Numbers with a title come first; others follow under their keys. `meanings` are those of the report.
function number_table(rows, titles, meanings, caption) {
  const keys = [...new Set([...Object.keys(titles), ...rows.flatMap(Object.keys)])]
    .filter(key => rows.some(r => r[key] !== undefined && typeof r[key] !== 'object' && (r[key] || key in titles)));
  const show = (key, value) => typeof value !== 'number' ? String(value ?? '') : /bytes/.test(key) ? bytes(value)
    : /seconds/.test(key) ? seconds(value) : /ratio|share/.test(key) ? percent(value) : number(value, 2);
  return table(keys.map(key => ({title: titles[key] || key.replace(/_(bytes|seconds)$/, '').replace(/_/g, ' '),
    hint: meanings?.[key]?.meaning, left: rows.every(r => typeof r[key] === 'string'), value: r => r[key] ?? 0, show: r => show(key, r[key])})), rows, {caption});
}
function devices() {
  const as_row = ({number, ...numbers}) => ({device: number, ...numbers});
  const all = (run.devices || []).map(as_row);
  const used = run.programs.flatMap(p => p.workers.map((m, w) => m.device && {program: p.name, worker: w, ...as_row(m.device)}))
    .filter(r => r && (r.runs || r.fallbacks));
  if (!all.length && !used.length) return;
  const node = section('devices', 'Devices');
  if (all.length) node.append(number_table(all, device_titles, run.metrics?.device, 'Devices, over the whole run'));
  if (used.length) node.append(number_table(used, device_titles, run.metrics?.device, 'Devices by program and worker'));
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
