import { type InputRequest, inputRequired, type McpServer } from '@modelcontextprotocol/server';
import * as z from 'zod';

/**
 * Tools that send requests to the client during a call, for the 2025 revision of the conformance suite. They are
 * written like current tools; with the 2025 protocol the library sends separate requests. The suite prescribes the
 * questions.
 */

const options = ['option1', 'option2', 'option3'];
const titled = (noun: string) =>
  ['First', 'Second', 'Third'].map((title, index) => ({
    const: `value${index + 1}`,
    title: `${title} ${noun}`,
  }));

const questions: [name: string, argument: string | undefined, ask: (words: string) => InputRequest][] = [
  [
    'test_sampling',
    'prompt',
    (prompt) =>
      inputRequired.createMessage({
        messages: [{ role: 'user', content: { type: 'text', text: prompt } }],
        maxTokens: 100,
      }),
  ],
  [
    'test_elicitation',
    'message',
    (message) =>
      inputRequired.elicit({
        message,
        requestedSchema: {
          type: 'object',
          properties: {
            username: { type: 'string', description: "User's response" },
            email: { type: 'string', description: "User's email address" },
          },
          required: ['username', 'email'],
        },
      }),
  ],
  [
    'test_elicitation_sep1034_defaults',
    undefined,
    () =>
      inputRequired.elicit({
        message: 'Every kind of value has a default.',
        requestedSchema: {
          type: 'object',
          properties: {
            name: { type: 'string', default: 'John Doe' },
            age: { type: 'integer', default: 30 },
            score: { type: 'number', default: 95.5 },
            status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
            verified: { type: 'boolean', default: true },
          },
        },
      }),
  ],
  [
    'test_elicitation_sep1330_enums',
    undefined,
    () =>
      inputRequired.elicit({
        message: 'Every kind of choice.',
        requestedSchema: {
          type: 'object',
          properties: {
            untitledSingle: { type: 'string', enum: options },
            titledSingle: { type: 'string', oneOf: titled('Option') },
            legacyEnum: {
              type: 'string',
              enum: ['opt1', 'opt2', 'opt3'],
              enumNames: ['Option One', 'Option Two', 'Option Three'],
            },
            untitledMulti: { type: 'array', items: { type: 'string', enum: options } },
            titledMulti: { type: 'array', items: { anyOf: titled('Choice') } },
          },
        },
      }),
  ],
];

export function addFixtureLegacyQuestions(server: McpServer): void {
  for (const [name, argument, ask] of questions)
    server.registerTool(
      name,
      {
        description: `Asks back as ${name} says.`,
        inputSchema: z.object(argument === undefined ? {} : { [argument]: z.string() }),
      },
      async (args, { mcpReq: { inputResponses } }) => {
        const response = inputResponses?.asked;
        return response === undefined
          ? inputRequired({ inputRequests: { asked: ask(String(Object.values(args)[0])) } })
          : { content: [{ type: 'text', text: `Answered: ${JSON.stringify(response)}` }] };
      },
    );
}
