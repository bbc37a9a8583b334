/** One entry of a header such as `Accept`: a name and how much the client wants it, from 0 to 1. */
export interface WeightedName {
  readonly name: string;
  readonly weight: number;
}

export function weightedNames(header: string): readonly WeightedName[] {
  return header.split(',').map((text) => {
    const [name = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase());
    const given = parameters.find((parameter) => parameter.startsWith('q='));
    const weight = given === undefined ? 1 : Number(given.slice(2));
    return { name, weight: Number.isFinite(weight) ? weight : 1 };
  });
}
