/** Saves a text as a file. */
export function download(name: string, text: string): void {
  const type = name.endsWith('.json') ? 'application/json' : 'text/csv';
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
