export interface TopicPartition {
  readonly topicId: string;
  readonly partition: number;
}

export interface PartitionsOfTopic {
  readonly topicId: string;
  readonly partitions: readonly number[];
}
