import type { UnknownTaggedField } from '@weir/wire';

/**
 * Apache's classes reject two unknown tags that the protocol allows: the highest tag of all, which they use internally,
 * and a tag that is defined in another version of the message. Weir's codec carries both.
 *
 * Returns whether that is the reason of a rejection: the message must contain such a tag.
 */
export function refusedForUnknownTag(reason: string, message: unknown): boolean {
  const refusal = /Attempted to use tag (\d+) as an undefined tag|Tag (\d+) is not valid for version/.exec(
    reason,
  );
  if (refusal === null) return false;
  return holdsUnknownTag(message, Number(refusal[1] ?? refusal[2]));
}

function holdsUnknownTag(value: unknown, tag: number): boolean {
  if (typeof value !== 'object' || value === null || Buffer.isBuffer(value)) return false;
  if (Array.isArray(value)) return value.some((element) => holdsUnknownTag(element, tag));
  const { unknownTaggedFields = [], ...members }: KeepsUnknownTags = value;
  if (unknownTaggedFields.some((field) => field.tag === tag)) return true;
  return Object.values(members).some((member) => holdsUnknownTag(member, tag));
}

interface KeepsUnknownTags {
  readonly unknownTaggedFields?: readonly UnknownTaggedField[];
}
