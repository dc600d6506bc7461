'use strict';
// The report of one run, first part of one script: what tables, plots and sections are made with. It reads the JSON in
// #run; no network, no state but the page. work.js, resources.js and page.js follow.
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
// What is nearly nothing or nearly all does not look like nothing or all.
function percent(share) {
  if (!Number.isFinite(share)) return '–';
  if (share > 0 && share < 5e-4) return '< 0.1 %';
  if (share < 1 && share > 0.9995) return '> 99.9 %';
  return number(100 * share, share < 0.1 || (share < 1 && share >= 0.995) ? 1 : 0) + ' %';
}
// JSON has null for what is no number.
const fixed = (value, digits) => Number.isFinite(value) ? value.toFixed(digits) : '–';
const three_digits = value => value.toLocaleString('en', {minimumSignificantDigits: 3, maximumSignificantDigits: 3});
function seconds(value) {
  if (!Number.isFinite(value)) return '–';
  if (value === 0) return '0';
  if (value >= 7200) return number(value / 3600, 2) + ' h';
  if (value >= 120) return number(value / 60, 1) + ' min';
  if (value >= 0.9995) return value.toLocaleString('en', {minimumFractionDigits: 2, maximumFractionDigits: 2}) + ' s';
  if (value >= 0.9995e-3) return three_digits(value * 1e3) + ' ms';
  return value >= 1e-6 ? three_digits(value * 1e6) + ' µs' : number(value * 1e9) + ' ns';
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
    const button = el('button', {type: 'button', title: column.hint ?? null}, column.title);
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
    more.textContent = `${shown} of ${rows.length} rows: show all`;
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
  // Not the library's: that one cuts off what does not fit, and no keyboard reaches it.
  const legend = el('ul', {class: 'legend', 'aria-label': 'parts of the plot'});
  parent.append(holder, legend);
  const hidden = new Set();
  let chart = null;
  const entry = (part, k) => {
    const is_line = !part.backgroundColor;
    const mark = el('i', {class: is_line ? 'line' : null, 'aria-hidden': 'true'});
    mark.style.setProperty(is_line ? 'border-color' : 'background', part.backgroundColor || part.borderColor);
    const button = el('button', {type: 'button', 'aria-pressed': String(!hidden.has(part.label)), title: 'show or hide'}, mark, part.label);
    button.addEventListener('click', () => {
      if (!hidden.delete(part.label)) hidden.add(part.label);
      chart.setDatasetVisibility(k, !hidden.has(part.label));
      chart.update();
      button.setAttribute('aria-pressed', String(!hidden.has(part.label)));
    });
    return el('li', {}, button);
  };
  const draw = () => {
    if (chart) chart.destroy();
    Chart.defaults.color = colour('soft');
    Chart.defaults.borderColor = colour('rule');
    Chart.defaults.font.family = getComputedStyle(document.body).fontFamily;
    Chart.defaults.animation = false;
    Chart.defaults.maintainAspectRatio = false;
    Chart.defaults.plugins.legend.display = false;
    const made = configure(holder);
    made.data.datasets.forEach(part => { part.hidden = hidden.has(part.label); });
    chart = new Chart(canvas, made);
    legend.replaceChildren(...made.data.datasets.map(entry));
  };
  draw();
  charts.push(draw);
  return draw;
}
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => charts.forEach(draw => draw()));
