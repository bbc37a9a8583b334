import type { IncomingHttpHeaders } from 'node:http';
import { ProtobufWriter } from '@weir/core';
import { bodyTypeOf, HttpProblem } from '@weir/http';
import type { DataInput, WholeAnswer } from '../http-data/data-route.ts';
import type { FoundLine } from './log-line.ts';
import { LineRefused } from './otlp-attributes.ts';
import { otlpJsonLines } from './otlp-json.ts';
import { otlpProtobufLines } from './otlp-protobuf.ts';
import type { ParseSteps } from './parse-steps.ts';
import { refusalText, type TakenLogs } from './take-logs.ts';

const json = 'application/json';
const protobuf = 'application/x-protobuf';
const protobufTypes: ReadonlySet<string> = new Set([protobuf, 'application/protobuf']);

/** Codes of gRPC, which errors of OTLP have also over HTTP. */
const grpcCodes: Readonly<Record<number, number>> = {
  400: 3,
  401: 16,
  403: 7,
  404: 5,
  413: 8,
  415: 3,
  429: 8,
  503: 14,
};
const grpcInternal = 13;

export function* otlpLines({ body, headers }: DataInput, steps: ParseSteps): Generator<FoundLine> {
  try {
    yield* typeOf(headers) === json
      ? otlpJsonLines(body as Buffer, steps)
      : otlpProtobufLines(body as Buffer, steps);
  } catch (error) {
    // Of a resource or a scope, and so of many lines.
    if (error instanceof LineRefused)
      throw new HttpProblem(400, `A resource or scope is refused: ${error.message}`);
    throw error;
  }
}

/** The answer has the type of the request. */
export function otlpAnswer({ refused, refusal }: TakenLogs, { headers }: DataInput): WholeAnswer {
  const contentType = typeOf(headers);
  if (refused === 0) return { status: 200, contentType, body: contentType === json ? '{}' : '' };
  const text = refusalText(refused, refusal ?? '');
  const body =
    contentType === json
      ? JSON.stringify({ partialSuccess: { rejectedLogRecords: String(refused), errorMessage: text } })
      : new ProtobufWriter().bytesField(1, numberAndText(refused, text)).finish();
  return { status: 200, contentType, body };
}

/** An error is a `Status` of gRPC. */
export function otlpProblem({ status, message }: HttpProblem, headers: IncomingHttpHeaders): WholeAnswer {
  const code = grpcCodes[status] ?? grpcInternal;
  if (!protobufTypes.has(bodyTypeOf(headers['content-type']) ?? ''))
    return { status, contentType: json, body: JSON.stringify({ code, message }) };
  return { status, contentType: protobuf, body: numberAndText(code, message) };
}

/** A `Status` of gRPC, and an `ExportLogsPartialSuccess` of OTLP. */
function numberAndText(number: number, text: string): Buffer {
  return new ProtobufWriter().integerField(1, number).textField(2, text).finish();
}

function typeOf(headers: IncomingHttpHeaders): typeof json | typeof protobuf {
  const type = bodyTypeOf(headers['content-type']) ?? '';
  if (type === json) return json;
  if (protobufTypes.has(type)) return protobuf;
  throw new HttpProblem(415, `Send the logs as ${json} or ${protobuf}.`);
}
