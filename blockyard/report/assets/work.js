// Sections of what the programs did: where time went, by program, line, block and loop.

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
  if (energy) cards.push([fixed(energy.hartree, 7), energy.title + ', hartree']);
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
  node.append(table([{title: 'energy', left: true, value: e => e.title}, {title: 'hartree', value: e => e.hartree, show: e => fixed(e.hartree, 10)}], run.energies, {narrow: true}));
}

// From the shape in the results of a run, one list for each property, to one row for each state.
function states() {
  for (const found of run.excitations || []) {
    const rows = found.hartree.map((hartree, k) => ({number: k + 1, hartree, part: found.singles_part?.[k], oscillator: found.oscillator?.[k],
      leading: (found.leading?.[k] || []).map(l => `${l.from} → ${l.to} (${fixed(l.amplitude, 2)})`).join(', ')}));
    const node = section('states-' + found.key, found.title + ' states', 'Energies above the ground state; the excitations with the largest amplitudes, from one orbital to another.');
    node.append(table([
      {title: 'state', value: s => s.number},
      {title: 'hartree', value: s => s.hartree, show: s => fixed(s.hartree, 10)},
      {title: 'eV', value: s => s.hartree * ev_per_hartree, show: s => fixed(s.hartree * ev_per_hartree, 4)},
      rows[0]?.part !== undefined && {title: 'part of singles', value: s => s.part, show: s => fixed(s.part, 4)},
      rows[0]?.oscillator !== undefined && {title: 'oscillator strength', value: s => s.oscillator, show: s => fixed(s.oscillator, 6), bar: true},
      rows.some(s => s.leading) && {title: 'from → to (amplitude)', left: true, wrap: true, value: s => s.leading},
    ].filter(Boolean), rows));
  }
}
const ev_per_hartree = 27.211386245988;

// What should become zero: the last column but energies, which change most in the beginning.
function error_of(row) {
  const names = Object.keys(row).filter(name => /error|residual|change/.test(name));
  return names.filter(name => name !== 'energy_change').pop() || names.pop();
}

function convergence() {
  const parts = (run.iterations || []).map(({title, rows}) => ({title: title.split(':')[0], rows, error: error_of(rows[0])})).filter(part => part.error);
  if (!parts.length) return;
  const node = section('convergence', 'Convergence', 'The error of each iteration: of SCF the largest element of FDS - SDF, of amplitudes the norm of their change, of states the largest residual.');
  const colours = ['compute', 'block', 'barrier', 'put', 'device', 'disk'];
  const last_error = part => Math.abs(part.rows[part.rows.length - 1][part.error] ?? NaN);
  plot(node, 'Lines: the error over the iterations of each program, logarithmic; the table below has the last ones.', () => ({
    type: 'line',
    data: {datasets: parts.map((part, k) => ({label: part.title, borderColor: colour(colours[k % colours.length]), borderWidth: 2, pointRadius: 2, fill: false,
      data: part.rows.map(row => ({x: row.iteration, y: Math.abs(row[part.error] ?? NaN)})).filter(point => point.y > 0)}))},
    options: {parsing: false, scales: {x: {type: 'linear', ticks: {precision: 0}, title: {display: true, text: 'iteration'}},
              y: {type: 'logarithmic', ticks: {callback: value => value.toExponential(0)}, title: {display: true, text: 'error'}}}, interaction: {mode: 'nearest', intersect: false}},
  }));
  node.append(table([
    {title: 'iterations of', left: true, value: part => part.title},
    {title: 'number', value: part => part.rows.length},
    {title: 'last error', value: last_error, show: part => Number.isFinite(last_error(part)) ? last_error(part).toExponential(2) : '–'},
    {title: 'is', left: true, value: part => part.error.replaceAll('_', ' ')},
  ], parts, {narrow: true}));
}

function times() {
  const node = section('time', 'Where the time went',
    'Seconds of all workers together, by program. What a worker waits for is not hidden behind work; look-ahead is there to make it small.');
  const label = 'Stacked bars: seconds of each program by kind; the table below has the same numbers.';
  plot(node, label, () => ({
    type: 'bar',
    data: {labels: run.programs.map(p => p.name), datasets: used_kinds.map(([key, name, f]) => ({label: name, backgroundColor: colour(key), data: run.programs.map(p => sum(p.workers, f))}))},
    options: {indexAxis: 'y', scales: {x: {stacked: true, title: {display: true, text: 'seconds of workers'}}, y: {stacked: true}},
              plugins: {tooltip: {callbacks: {label: item => ` ${item.dataset.label}: ${seconds(item.raw)}`}}}},
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
        const mine = row.workers[worker];  // of an earlier run of the same program
        if (mine) add(mine, item); else row.workers[worker] = {...item};
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
    add_fields('gets', 'cache_hits', 'early_hits', 'accesses', 'blocked', 'wait_seconds', 'wasted_prefetches')(row, item);
    row.first_wait_seconds = Math.max(row.first_wait_seconds, item.first_wait_seconds);
    if (item.prefetch_depth >= row.prefetch_depth) { row.prefetch_depth = item.prefetch_depth; row.prefetch_reason = item.prefetch_reason; }
  });
  if (!rows.length) return;
  const gets = sum(everybody, m => m.gets), hits = sum(everybody, m => m.cache_hits);
  const node = section('fetches', 'Blocks: cache and look-ahead',
    `${number(gets)} blocks were asked for; ${percent(hits / gets)} were in the worker’s cache or under way already, ` +
    `${number(sum(everybody, m => m.prefetches))} were asked for ahead of their get. ‘In the cache’ and ‘asked ahead’ are shares of the gets of a line, ‘on time’ the share of uses that did not wait.`);
  const cached = l => l.gets ? ((l.cache_hits || 0) - (l.early_hits || 0)) / l.gets : 0;
  const ahead = l => l.gets ? (l.early_hits || 0) / l.gets : 0;
  const ratio = l => l.accesses ? 1 - l.blocked / l.accesses : 1;
  node.append(table([
    {title: 'line', left: true, value: l => l.place, show: l => link(l.place)},
    {title: 'array', left: true, value: l => l.array},
    {title: 'gets', value: l => l.gets, show: l => number(l.gets)},
    {title: 'in the cache', value: cached, show: l => percent(cached(l))},
    {title: 'asked ahead', value: ahead, show: l => percent(ahead(l))},
    {title: 'on time', value: ratio, show: l => percent(ratio(l))},
    {title: 'wait', value: l => l.wait_seconds, show: l => seconds(l.wait_seconds), bar: true},
    {title: 'first wait', value: l => l.first_wait_seconds, show: l => seconds(l.first_wait_seconds)},
    {title: 'mean wait', value: l => l.gets ? l.wait_seconds / l.gets : 0, show: l => seconds(l.gets ? l.wait_seconds / l.gets : 0)},
    {title: 'depth', value: l => l.prefetch_depth},
    {title: 'let go unused', value: l => l.wasted_prefetches, show: l => number(l.wasted_prefetches)},
    {title: 'why this depth', left: true, wrap: true, value: l => l.prefetch_reason},
  ], rows, {caption: 'Lines that fetch blocks, by wait', sort: 6}));
}

function balance() {
  const rows = together(m => m.pardos || [], p => p.place, add_fields('entered', 'iterations', 'seconds', 'wait_seconds'));
  if (!rows.length) return;
  for (const row of rows) {
    row.entered = row.workers.find(Boolean).entered;  // every worker enters each pardo
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
                plugins: {tooltip: {callbacks: {label: item => ` ${item.dataset.label}: ${seconds(item.raw)}`}}}},
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
