import { randomBytes, randomUUID } from 'node:crypto';
import {
  acceptedContent,
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  createRequestStateCodec,
  type InputRequests,
  inputRequired,
  type McpServer,
  ProtocolError,
  ProtocolErrorCode,
  type ServerContext,
} from '@modelcontextprotocol/server';
import * as z from 'zod';

/**
 * Tools that ask the client for input before they answer, in more ways than Weir's tools do. The conformance suite
 * checks how the questions are handled.
 */

interface State {
  readonly tool: string;
  readonly round?: number;
  readonly name?: string;
  readonly nonce?: string;
}

/** State that passes through the client is signed. */
export const signedState = createRequestStateCodec<State>({ key: randomBytes(32) });

const form = (field: string, type: 'string' | 'boolean') => ({
  type: 'object' as const,
  properties: { [field]: { type } as { type: 'string' } | { type: 'boolean' } },
  required: [field],
});
const askName = () =>
  inputRequired.elicit({ message: 'What is your name?', requestedSchema: form('name', 'string') });
const askConfirmation = () =>
  inputRequired.elicit({ message: 'Please confirm', requestedSchema: form('ok', 'boolean') });
const askModel = (words: string) =>
  inputRequired.createMessage({
    messages: [{ role: 'user', content: { type: 'text', text: words } }],
    maxTokens: 50,
  });

const answer = (words: string) => ({ content: [{ type: 'text' as const, text: words }] });

type Ask = (
  mcpReq: ServerContext['mcpReq'],
) =>
  | ReturnType<typeof answer>
  | ReturnType<typeof inputRequired>
  | Promise<ReturnType<typeof answer> | ReturnType<typeof inputRequired>>;

const asks: Readonly<Record<string, Ask>> = {
  test_missing_capability: ({ inputResponses }) =>
    inputResponses?.llm_answer === undefined
      ? inputRequired({ inputRequests: { llm_answer: askModel('Say pong') } })
      : answer('pong'),

  test_input_required_result_elicitation: ({ inputResponses }) => {
    const name = acceptedContent<{ name: string }>(inputResponses, 'user_name')?.name;
    return typeof name === 'string'
      ? answer(`Hello, ${name}!`)
      : inputRequired({ inputRequests: { user_name: askName() } });
  },

  test_input_required_result_sampling: ({ inputResponses }) => {
    const response = inputResponses?.capital_question as { content?: { text?: string } } | undefined;
    return response === undefined
      ? inputRequired({ inputRequests: { capital_question: askModel('What is the capital of France?') } })
      : answer(`Sampling response: ${response.content?.text}`);
  },

  test_input_required_result_list_roots: ({ inputResponses }) => {
    const roots = (inputResponses?.client_roots as { roots?: { uri: string }[] } | undefined)?.roots;
    return Array.isArray(roots)
      ? answer(roots.map(({ uri }) => uri).join(', '))
      : inputRequired({ inputRequests: { client_roots: inputRequired.listRoots() } });
  },

  test_input_required_result_request_state: async ({ inputResponses, requestState }) => {
    if (acceptedContent(inputResponses, 'confirm') === undefined)
      return inputRequired({
        inputRequests: { confirm: askConfirmation() },
        requestState: await signedState.mint({ tool: 'request_state', nonce: randomUUID() }),
      });
    if (requestState<State>() === undefined)
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'The state is missing.');
    return answer('state-ok');
  },

  test_input_required_result_multiple_inputs: async ({ inputResponses }) => {
    const name = acceptedContent<{ name: string }>(inputResponses, 'user_name')?.name;
    const greeting = (inputResponses?.greeting as { content?: { text?: string } } | undefined)?.content?.text;
    const roots = (inputResponses?.client_roots as { roots?: unknown[] } | undefined)?.roots;
    if (name !== undefined && greeting !== undefined && roots !== undefined)
      return answer(`${greeting} ${name}: ${roots.length}`);
    return inputRequired({
      inputRequests: {
        user_name: askName(),
        greeting: askModel('Generate a greeting'),
        client_roots: inputRequired.listRoots(),
      },
      requestState: await signedState.mint({ tool: 'multiple_inputs', nonce: randomUUID() }),
    });
  },

  test_input_required_result_multi_round: async ({ inputResponses, requestState }) => {
    const state = requestState<State>();
    if (state?.round === 2)
      return answer(
        `${state.name} likes ${acceptedContent<{ color: string }>(inputResponses, 'step2')?.color}`,
      );
    if (state?.round === 1) {
      const name = acceptedContent<{ name: string }>(inputResponses, 'step1')?.name ?? '';
      const step2 = inputRequired.elicit({
        message: 'Which color?',
        requestedSchema: form('color', 'string'),
      });
      const requestState = await signedState.mint({ tool: 'multi_round', round: 2, name });
      return inputRequired({ inputRequests: { step2 }, requestState });
    }
    const first = await signedState.mint({ tool: 'multi_round', round: 1 });
    return inputRequired({ inputRequests: { step1: askName() }, requestState: first });
  },

  test_input_required_result_tampered_state: async ({ inputResponses, requestState }) =>
    requestState() !== undefined && acceptedContent(inputResponses, 'confirm') !== undefined
      ? answer('integrity-ok')
      : inputRequired({
          inputRequests: { confirm: askConfirmation() },
          requestState: await signedState.mint({ tool: 'tampered_state', nonce: randomUUID() }),
        }),

  test_input_required_result_capabilities: ({ inputResponses, envelope }) => {
    const declared = (envelope as Readonly<Record<string, ClientCapabilities | undefined>> | undefined)?.[
      CLIENT_CAPABILITIES_META_KEY
    ];
    const inputRequests: InputRequests = {
      ...(declared?.elicitation === undefined ? {} : { user_name: askName() }),
      ...(declared?.sampling === undefined ? {} : { greeting: askModel('Generate a greeting') }),
      ...(declared?.roots === undefined ? {} : { client_roots: inputRequired.listRoots() }),
    };
    return inputResponses !== undefined || Object.keys(inputRequests).length === 0
      ? answer('Nothing more to ask.')
      : inputRequired({ inputRequests });
  },
};

export function addFixtureQuestions(server: McpServer): void {
  for (const [name, ask] of Object.entries(asks))
    server.registerTool(
      name,
      { description: `Asks back as ${name} says.`, inputSchema: z.object({}) },
      async (_args, { mcpReq }) => ask(mcpReq),
    );

  server.registerPrompt(
    'test_input_required_result_prompt',
    { description: 'Asks for its context first.' },
    async (context) => {
      const { inputResponses } = (context as unknown as ServerContext).mcpReq;
      const response = acceptedContent<{ context: string }>(inputResponses, 'user_context')?.context;
      if (typeof response === 'string')
        return { messages: [{ role: 'user' as const, content: { type: 'text' as const, text: response } }] };
      const user_context = inputRequired.elicit({
        message: 'Which context?',
        requestedSchema: form('context', 'string'),
      });
      return inputRequired({ inputRequests: { user_context } });
    },
  );
}
