import type { MutationOptions, TopicReference } from '../ports/port.ts';
import { flag, object, optional, text } from '../shapes/shape.ts';

export const mutationOptions = object<MutationOptions>({ validateOnly: flag });

export const topicReference = object<TopicReference>({ topicId: optional(text), name: optional(text) });
