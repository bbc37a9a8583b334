import type { IncomingMessage, ServerResponse } from 'node:http';
import { readBody } from '@weir/http';
import { regionTokens, tokenExchange } from '@weir/rpc';
import type { Handler } from '../http/route-table.ts';
import { controlPlaneLimits } from '../limits.ts';
import type { TokenExchange } from './token-exchange.ts';

/** `POST /api/v1/agent/token`, by RFC 8693: exchanges the token of a platform for one of ours. */

const { grantType, issuedTokenType } = tokenExchange;
const subjectTokenTypes: readonly string[] = tokenExchange.subjectTokenTypes;

type Answer = readonly [status: number, body: Readonly<Record<string, unknown>>];

const bytesMax = controlPlaneLimits.tokenRequestBytesMax;
/** The body has too many bytes. */
class TooLong extends Error {}

export function tokenRoute(exchange: Pick<TokenExchange, 'exchange'>): Handler {
  let runningCount = 0;

  async function answerTo(request: IncomingMessage): Promise<Answer> {
    if (request.method !== 'POST') return refused(405, 'invalid_request', 'POST only');
    if (runningCount >= controlPlaneLimits.tokenRequestsMax) {
      return refused(503, 'temporarily_unavailable', 'too many requests at a time; ask again');
    }
    runningCount++;
    try {
      const refusalOf = (fault: string) => (fault === 'bytes' ? new TooLong() : new Error('lost'));
      const body = await readBody(request, { bytesMax, refusalOf });
      return await exchanged(new URLSearchParams(body.toString()));
    } finally {
      runningCount--;
    }
  }

  async function exchanged(form: URLSearchParams): Promise<Answer> {
    if (form.get('grant_type') !== grantType) {
      return refused(400, 'unsupported_grant_type', `grant_type is ${grantType}`);
    }
    if (!subjectTokenTypes.includes(form.get('subject_token_type') ?? '')) {
      return refused(400, 'invalid_request', `subject_token_type is one of ${subjectTokenTypes.join(', ')}`);
    }
    const subjectToken = form.get('subject_token');
    const audience = form.get('audience');
    if (subjectToken === null || audience === null) {
      return refused(400, 'invalid_request', 'subject_token and audience are needed');
    }
    const asksByRegion = form.get(regionTokens.parameter) === regionTokens.wanted;
    const given = await exchange.exchange(audience, subjectToken, { asksByRegion });
    if (given === 'not ready') {
      const why = 'the cluster, or the issuer of the token, cannot be asked just now; ask again';
      return refused(503, 'temporarily_unavailable', why);
    }
    if (given === 'not admitted') {
      const why = 'no binding of the cluster admits this token; the log of the control plane says why';
      return refused(400, 'invalid_grant', why);
    }
    return [
      200,
      {
        access_token: given.token,
        issued_token_type: issuedTokenType,
        token_type: 'N_A',
        expires_in: Math.floor(given.lifetimeMs / 1000),
        ...(given.byRegion && {
          region: given.byRegion.own,
          region_tokens: Object.fromEntries(given.byRegion.tokens),
        }),
      },
    ];
  }

  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const [status, body] = await answerTo(request).catch((error: unknown): Answer => {
      if (error instanceof TooLong) return refused(413, 'invalid_request', `at most ${bytesMax} bytes`);
      return refused(400, 'invalid_request', 'the request could not be read');
    });
    const text = JSON.stringify(body);
    // The unread rest of the body ends with the connection.
    if (status !== 200) response.setHeader('connection', 'close');
    if (status === 405) response.setHeader('allow', 'POST');
    response.setHeader('content-type', 'application/json');
    response.setHeader('cache-control', 'no-store');
    response.setHeader('content-length', Buffer.byteLength(text));
    response.writeHead(status).end(text);
  };
}

function refused(status: number, error: string, description: string): Answer {
  return [status, { error, error_description: description }];
}
