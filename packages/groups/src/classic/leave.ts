import type { GroupError, LeavingMember } from '@weir/cluster';
import type { ClassicEventOf } from './event.ts';
import { validateMember } from './join.ts';
import type { Step } from './step.ts';

/**
 * Removes members one by one, each with its own error. `then` runs when at least one was removed; `hasMemberLeft` is
 * false when only pending member ids were, because those have no partitions to reassign.
 */
export function leaving(
  then: (step: Step, hasMemberLeft: boolean) => void,
): (step: Step, event: ClassicEventOf<'leave'>) => void {
  return (step, { token, members }) => {
    const memberCount = step.group.members.size;
    const errors = members.map((member) => leave(step, member));
    step.answer(token, errors);
    if (errors.includes('NONE')) then(step, step.group.members.size < memberCount);
  };
}

function leave(step: Step, { memberId, groupInstanceId }: LeavingMember): GroupError {
  const { group } = step;
  if (group.pending.has(memberId)) {
    if (groupInstanceId !== null) return 'UNKNOWN_MEMBER_ID';
    group.pending.delete(memberId);
    return 'NONE';
  }
  const isByName = memberId === '' && groupInstanceId !== null;
  const id = isByName ? (group.staticMemberId(groupInstanceId) ?? '') : memberId;
  const error = validateMember(group, id, groupInstanceId);
  if (error === 'NONE') step.remove(group.member(id)!, 'UNKNOWN_MEMBER_ID');
  return error;
}
