// Runs before the page is drawn, so that a dark page does not flash white.
try {
  const theme = localStorage.getItem('weir.theme') ?? 'system';
  const isDark =
    theme === 'dark' || (theme === 'system' && matchMedia('(prefers-color-scheme: dark)').matches);
  document.documentElement.classList.toggle('dark', isDark);
} catch {
  // Storage may be switched off; the page is light then.
}
