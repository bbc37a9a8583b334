/** A partition of a topic. */
export interface Place {
  readonly topic: string;
  readonly partition: number;
}

export function byTopic<Entry extends Place>(entries: readonly Entry[]): Map<string, Entry[]> {
  return Map.groupBy(entries, ({ topic }) => topic);
}
