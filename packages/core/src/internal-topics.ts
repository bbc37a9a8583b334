/** Prefix of internal topics. */
export const internalTopicPrefix = '__service_';

/**
 * Whether a topic is internal: clients may read it by name, and may not create, write, change or delete it. Names are
 * compared as in Kafka's metrics, where `.` is `_`: a client's topic that differs only in that would prevent the
 * creation of the internal one.
 */
export function isInternalTopic(name: string): boolean {
  // Asked for every batch, and hardly any name is changed to find out.
  const first = name[0];
  if (first !== '_' && first !== '.') return false;
  return name.replaceAll('.', '_').startsWith(internalTopicPrefix);
}

/** The error for an attempt to change an internal topic. */
export function internalTopicProblem(name: string): string {
  return `The topic ${name} belongs to the service: names that begin with ${internalTopicPrefix} are its own. It can be read, and changed by the settings of the cluster only.`;
}
