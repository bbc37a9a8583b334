import type { IncomingMessage, ServerResponse } from 'node:http';
import type { HttpProblem } from '@weir/http';
import { sendJson, sendWhole } from './answer-sender.ts';
import type { DataRoute } from './data-route.ts';

/** Sends an error in the form of a route, or as JSON. */
export function sendProblem(
  request: IncomingMessage,
  response: ServerResponse,
  problem: HttpProblem,
  row?: Pick<DataRoute, 'problemAnswer'>,
): void {
  if (response.headersSent || response.destroyed) {
    response.destroy();
    return;
  }
  const { status, errorCode, message, headers } = problem;
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  // The unread rest of a body ends with the connection.
  if (!request.complete) response.setHeader('connection', 'close');
  const answer = row?.problemAnswer?.(problem, request.headers);
  if (answer !== undefined) sendWhole(response, answer);
  else sendJson(response, status, JSON.stringify({ error_code: errorCode, message }));
}
