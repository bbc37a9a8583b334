import { HttpProblem } from '../../http/http-problem.ts';

/** Types of answers, the preferred one first. */
export const answerTypes = [
  'application/vnd.schemaregistry.v1+json',
  'application/vnd.schemaregistry+json',
  'application/json',
] as const;
export type AnswerType = (typeof answerTypes)[number];

/** Types of bodies. Without a type a body counts as bytes, which are read as JSON. */
export const bodyTypes = [...answerTypes, 'application/octet-stream'] as const;

/** Returns the type of the answer that a client prefers. */
export function answerTypeFor(accept: string | undefined): AnswerType {
  if (accept === undefined || accept.trim() === '') return answerTypes[0];
  const ranges = accept.split(',').map(rangeOf);
  let best: { readonly type: AnswerType; readonly weight: number } | undefined;
  for (const type of answerTypes) {
    const weight = weightOf(type, ranges);
    if (weight > (best?.weight ?? 0)) best = { type, weight };
  }
  if (best !== undefined) return best.type;
  throw new HttpProblem(
    406,
    `The answer is available as ${answerTypes.join(', ')}, none of which Accept allows.`,
  );
}

interface MediaRange {
  readonly range: string;
  readonly weight: number;
}

function rangeOf(text: string): MediaRange {
  const [range = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase());
  const given = parameters.find((parameter) => parameter.startsWith('q='));
  const weight = given === undefined ? 1 : Number(given.slice(2));
  return { range, weight: Number.isFinite(weight) ? weight : 1 };
}

/** The most precise range that covers a type decides. */
function weightOf(type: AnswerType, ranges: readonly MediaRange[]): number {
  for (const covering of [type, 'application/*', '*/*']) {
    const found = ranges.find(({ range }) => range === covering);
    if (found !== undefined) return found.weight;
  }
  return 0;
}

export function requireBodyType(contentType: string | undefined): void {
  if (contentType === undefined) return;
  const type = contentType.split(';', 1)[0]!.trim().toLowerCase();
  if ((bodyTypes as readonly string[]).includes(type)) return;
  throw new HttpProblem(415, `Send the body as ${answerTypes[0]} or application/json.`);
}
