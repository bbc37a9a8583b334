const types: Readonly<Record<string, string>> = {
  '.json': 'application/json',
  '.ndjson': 'application/x-ndjson',
  '.csv': 'text/csv',
};

/** Saves a text as a file. */
export function download(name: string, text: string): void {
  const type = types[name.slice(name.lastIndexOf('.'))] ?? 'text/plain';
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
