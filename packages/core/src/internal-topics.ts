/** How the names of topics begin that belong to the service itself. */
export const internalTopicPrefix = '__service_';

/**
 * Whether a topic belongs to the service: clients may read it when they ask for it by name, and neither make, write, change nor delete it. Names
 * count as Kafka's metrics see them, where `.` is `_`: a topic of a client that only looks the same would keep ours from being made.
 */
export function isInternalTopic(name: string): boolean {
  return name.replaceAll('.', '_').startsWith(internalTopicPrefix);
}

/** What is said of an attempt to change one. */
export function internalTopicProblem(name: string): string {
  return `The topic ${name} belongs to the service: names that begin with ${internalTopicPrefix} are its own. It can be read, and changed by the settings of the cluster only.`;
}
