import type { Access } from '@weir/security';

type SubscriptionDenial = 'GROUP_AUTHORIZATION_FAILED' | 'TOPIC_AUTHORIZATION_FAILED';

/**
 * Why a client may not be a member with this subscription; `undefined` if it may. A member reads for its group, and
 * sees the topics that it subscribes to. The names come with the heartbeat that joins and with those that change them.
 */
export function subscriptionDenial(
  {
    groupId,
    subscribedTopicNames,
  }: { readonly groupId: string; readonly subscribedTopicNames: readonly string[] | null },
  access: Access,
): SubscriptionDenial | undefined {
  if (!access.may('READ', 'GROUP', groupId)) return 'GROUP_AUTHORIZATION_FAILED';
  const seesAll = (subscribedTopicNames ?? []).every((name) => access.may('DESCRIBE', 'TOPIC', name));
  return seesAll ? undefined : 'TOPIC_AUTHORIZATION_FAILED';
}
