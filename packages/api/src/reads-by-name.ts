/** The first words of operations that only read. */
const readingVerbs: readonly string[] = [
  'check',
  'describe',
  'explain',
  'get',
  'list',
  'locate',
  'preview',
  'query',
  'read',
  'search',
  'status',
];

/** Whether an operation only reads. Its name says so, because the catalogue is large. */
export function readsByName(name: string): boolean {
  const [verb = ''] = name.slice(name.lastIndexOf('/') + 1).split('_');
  return readingVerbs.includes(verb);
}
