/** The names that topics may have, as in Apache Kafka. */
const nameLengthMax = 249;

/** What is wrong with a name, or `undefined`. */
export function topicNameProblem(name: string): string | undefined {
  if (name === '') return 'A topic name may not be empty.';
  if (name === '.' || name === '..') return `A topic may not be named "${name}".`;
  if (name.length > nameLengthMax) {
    return `The topic name has ${name.length} characters; ${nameLengthMax} are allowed.`;
  }
  if (!/^[a-zA-Z0-9._-]+$/.test(name)) {
    return `The topic name ${JSON.stringify(name)} has characters other than ASCII letters, digits, ".", "_" and "-".`;
  }
  return undefined;
}

/** Metrics write `_` for `.`, so that names that differ in nothing else would be one. Such names have the same collision key. */
export function collisionKey(name: string): string {
  return name.replaceAll('.', '_');
}
