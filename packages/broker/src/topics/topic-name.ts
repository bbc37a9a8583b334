/** Apache Kafka's rule for topic names. */
export function isTopicName(name: string): boolean {
  return /^[a-zA-Z0-9._-]{1,249}$/.test(name) && name !== '.' && name !== '..';
}
