import * as s from '../../shapes/shape.ts';
import { leaderCall } from '../call.ts';
import type { GroupError, GroupStateName, GroupType } from './group-names.ts';

/** A group that does not exist, or whose type has its own describe call, is GROUP_ID_NOT_FOUND with state Dead. */
export interface GroupDescription {
  readonly error: GroupError;
  readonly groupId: string;
  readonly state: GroupStateName;
  readonly protocolType: string;
  /** The chosen protocol while the group is stable; otherwise empty. */
  readonly protocolData: string;
  /** Only for a classic group that has a coordinator. */
  readonly generationId?: number | undefined;
  readonly members: readonly GroupMemberDescription[];
}

export interface GroupMemberDescription {
  readonly memberId: string;
  readonly groupInstanceId: string | null;
  readonly clientId: string;
  readonly clientHost: string;
  readonly metadata: Uint8Array;
  readonly assignment: Uint8Array;
}

const groupFilter = s.struct({
  /** Case-insensitive; empty for all. */
  states: s.list(s.text),
  types: s.list(s.text),
});
export type GroupFilter = s.TypeOf<typeof groupFilter>;

export interface GroupListing {
  readonly groupId: string;
  readonly protocolType: string;
  readonly state: GroupStateName;
  readonly type: GroupType;
}

/** Calls about groups of any type, by which tools list, describe and delete them. */
export const groupAdminCalls = {
  describeGroups: leaderCall<[groupIds: readonly string[]], GroupDescription[]>(s.tuple(s.list(s.text)), {
    onRetry: 'reexecute',
    splits: true,
  }),
  listGroups: leaderCall<[filter: GroupFilter], GroupListing[]>(s.tuple(groupFilter), {
    onRetry: 'reexecute',
  }),
  deleteGroups: leaderCall<[groupIds: readonly string[]], GroupError[]>(s.tuple(s.list(s.text)), {
    onRetry: 'dedupe-in-process',
    splits: true,
  }),
};
