// Builds the page.

// A link to a line opens the file that it is in.
function reveal() {
  const target = document.getElementById(location.hash.slice(1));
  const closed = target?.closest('details');
  if (!closed) return;
  closed.open = true;
  target.scrollIntoView({block: 'center'});
}
addEventListener('hashchange', reveal);
function print(is_paper) {
  document.documentElement.classList.toggle('paper', is_paper);
  charts.forEach(draw => draw());
}
addEventListener('beforeprint', () => print(true));
addEventListener('afterprint', () => print(false));

for (const part of [head, energies, states, convergence, times, lines, fetches, balance, memory, moved, disk, supers, devices, decisions, sources]) part();
reveal();
