/** Whether a topic may have this name, as in Kafka. */
export function isTopicName(name: string): boolean {
  return topicName.test(name);
}

const topicName = /^(?!\.{1,2}$)[A-Za-z0-9._-]{1,249}$/;
