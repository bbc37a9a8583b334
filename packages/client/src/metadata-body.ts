import { type apis, type RequestOf, zeroUuid } from '@weir/wire';

/** A request for some topics, which may create those that are missing. Before v4 it cannot forbid that. */
export function metadataBody(
  topics: readonly string[] | 'all',
  { mayCreate }: { readonly mayCreate: boolean },
): (version: number) => RequestOf<typeof apis.Metadata> {
  return (version) => ({
    // In v0 the empty list asks for all topics, and there is no way to ask for none.
    topics:
      topics === 'all' ? (version === 0 ? [] : null) : topics.map((name) => ({ topicId: zeroUuid, name })),
    allowAutoTopicCreation: version < 4 || mayCreate,
    includeClusterAuthorizedOperations: false,
    includeTopicAuthorizedOperations: false,
  });
}
