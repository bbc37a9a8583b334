import {
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  createRequestStateCodec,
  type InputRequiredResult,
  inputRequired,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { ToolProblem } from '../answers/problem.ts';
import { mcpLimits } from '../limits.ts';
import type { Confirm } from './tool-context.ts';

/** The user has yet to answer. The client asks, and sends the call again with the response. */
export class UnansweredQuestion extends Error {
  override readonly name = 'UnansweredQuestion';
  readonly result: InputRequiredResult;

  constructor(result: InputRequiredResult) {
    super('the user has not answered yet');
    this.result = result;
  }
}

const responseName = 'confirm';

const requestedSchema = {
  type: 'object' as const,
  properties: { confirm: { type: 'boolean' as const, title: 'Make this change', default: false } },
  required: ['confirm'],
};

/**
 * Returns how to ask the user of the client that sent a request, if it can: that takes revision 2026-07-28, in which a
 * question needs no state of the server. What has to survive until the response goes through the client, signed with a
 * key of the caller, so that any process of the control plane can verify it.
 */
export function confirmOf(context: ServerContext, key: Uint8Array): Confirm | undefined {
  const { mcpReq } = context;
  if (!canAsk(mcpReq.envelope as Envelope)) return undefined;
  const signed = createRequestStateCodec<{ readonly digest: string }>({
    key,
    ttlSeconds: mcpLimits.mcpConfirmationSecondsMax,
  });
  return async ({ message, digest }) => {
    const response = mcpReq.inputResponses?.[responseName] as Response | undefined;
    if (response === undefined)
      throw new UnansweredQuestion(
        inputRequired({
          inputRequests: { [responseName]: inputRequired.elicit({ message, requestedSchema }) },
          requestState: await signed.mint({ digest }),
        }),
      );
    if (response.action !== 'accept' || response.content?.confirm !== true) return false;
    const state = await signed.verify(String(mcpReq.requestState()), context).catch(() => undefined);
    if (state?.digest === digest) return true;
    throw new ToolProblem(
      'confirmation_expired',
      'What was confirmed is not what would change now, or the confirmation took too long. Nothing was changed; call again to ask the user again.',
    );
  };
}

type Envelope = Readonly<Record<string, ClientCapabilities | undefined>> | undefined;

/** What a client sends for the user. */
interface Response {
  readonly action?: unknown;
  readonly content?: { readonly confirm?: unknown } | null;
}

/** A client that declares no mode has forms. */
function canAsk(envelope: Envelope): boolean {
  const modes = envelope?.[CLIENT_CAPABILITIES_META_KEY]?.elicitation;
  return modes !== undefined && (modes.form !== undefined || modes.url === undefined);
}
