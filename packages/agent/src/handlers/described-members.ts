import type { Access } from '../security/access.ts';

interface DescribedAssignment {
  readonly topicPartitions: readonly { readonly topicName: string }[];
}

/** A member of a group as its description shows it. */
interface DescribedMember {
  readonly subscribedTopicNames: readonly string[] | null;
  readonly assignment: DescribedAssignment;
  readonly targetAssignment?: DescribedAssignment;
}

/** Whether the client may DESCRIBE every topic that the description of a group would name. */
export function seesTopicsOf(members: readonly DescribedMember[], access: Access): boolean {
  const names = new Set<string>();
  for (const { subscribedTopicNames, assignment, targetAssignment } of members) {
    for (const name of subscribedTopicNames ?? []) names.add(name);
    for (const { topicName } of assignment.topicPartitions) names.add(topicName);
    for (const { topicName } of targetAssignment?.topicPartitions ?? []) names.add(topicName);
  }
  for (const name of names) if (!access.may('DESCRIBE', 'TOPIC', name)) return false;
  return true;
}
