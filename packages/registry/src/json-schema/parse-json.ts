import { type JsonNode, type JsonNumber, readJson } from '../exact-json.ts';
import { registryLimits } from '../limits.ts';
import { InvalidSchema } from '../schema-format.ts';

/** Parses a JSON schema. */
export function parseSchemaJson(text: string): JsonNode {
  if (text.length > registryLimits.jsonSchemaCharsMax) {
    throw new InvalidSchema(
      `the schema has ${text.length} characters; ${registryLimits.jsonSchemaCharsMax} are allowed`,
    );
  }
  return readJson(text, {
    depthMax: registryLimits.jsonSchemaDepthMax,
    numberCharsMax: registryLimits.jsonNumberCharsMax,
    numberOf: withBoundedExponent,
  });
}

function withBoundedExponent(number: JsonNumber): JsonNumber | { readonly problem: string } {
  const exponent = /[eE]([+-]?\d+)$/.exec(number.text)?.[1];
  if (exponent === undefined || Math.abs(Number(exponent)) <= registryLimits.jsonExponentMax) return number;
  const { jsonExponentMax } = registryLimits;
  return { problem: `the number ${number.text.slice(0, 40)} has an exponent beyond ${jsonExponentMax}` };
}
