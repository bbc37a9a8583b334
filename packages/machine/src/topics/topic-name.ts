/** Rules for topic names, as in Apache Kafka. */
const nameLengthMax = 249;

/** Returns what is wrong with a name, or `undefined`. */
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
