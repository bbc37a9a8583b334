import type {
  MutationOptions,
  PartitionsToCreate,
  TopicReference,
  TopicResult,
  TopicToCreate,
} from '../ports/port.ts';
import { list, number, object, optional, text, texts, tuple } from '../shapes/shape.ts';
import { command } from './call.ts';
import { mutationOptions, topicReference } from './topic-shapes.ts';

/** Calls about topics. Each topic has its own result. */
export const topicCalls = {
  createTopics: command<[topics: readonly TopicToCreate[], options: MutationOptions], TopicResult[]>(
    tuple(
      list(
        object<TopicToCreate>({
          name: text,
          partitionCount: number,
          replicationFactor: optional(number),
          configs: texts,
        }),
      ),
      mutationOptions,
    ),
    { splits: true },
  ),
  deleteTopics: command<[topics: readonly TopicReference[]], TopicResult[]>(tuple(list(topicReference)), {
    splits: true,
  }),
  createPartitions: command<[topics: readonly PartitionsToCreate[], options: MutationOptions], TopicResult[]>(
    tuple(list(object<PartitionsToCreate>({ name: text, partitionCount: number })), mutationOptions),
    { splits: true },
  ),
};
