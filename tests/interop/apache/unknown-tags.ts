import type { UnknownTaggedField } from '@weir/wire';

/**
 * Apache's classes refuse two unknown tags that the protocol allows: the highest of all, which they use as a mark of
 * their own, and one that means something in another version of the message. Ours carry both.
 *
 * Tells whether that is why a message was refused, and nothing but that: the message must really hold such a tag.
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
