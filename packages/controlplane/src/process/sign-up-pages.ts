import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { apiPath, type OperationName, passwordCharsMin } from '@weir/api';
import { type Handler, pathOf, routePath } from '../http/route-table.ts';

/** Returns the link of a first start. The token is in the fragment, so that no proxy and no log on the way sees it. */
export function setupUrl(publicUrl: string, token: string): string {
  return `${publicUrl}${routePath('setup')}#${token}`;
}

interface SignUpPage {
  readonly title: string;
  readonly introduction: string;
  readonly operation: OperationName;
  readonly fields: readonly (readonly [name: string, label: string, attributes: string])[];
  /** Whether the URL of the page has a token in its fragment. */
  readonly hasToken: boolean;
  readonly button: string;
}

const name = ['name', 'Your name', 'maxlength="128" autocomplete="name"'] as const;
const password = [
  'password',
  'Password',
  `type="password" minlength="${passwordCharsMin}" autocomplete="new-password"`,
] as const;

const setup: SignUpPage = {
  title: 'Set Weir up',
  introduction: 'You become the administrator of this installation.',
  operation: 'setup',
  fields: [
    ['account_name', 'Account', 'maxlength="128" autocomplete="organization"'],
    ['email', 'E-mail', 'type="email" autocomplete="username"'],
    name,
    password,
  ],
  hasToken: true,
  button: 'Sign up',
};

const invitation: SignUpPage = {
  title: 'Join Weir',
  introduction: 'You were invited to an account.',
  operation: 'users/accept_invitation',
  fields: [name, password],
  hasToken: true,
  button: 'Sign up',
};

const signIn: SignUpPage = {
  title: 'Sign in to Weir',
  introduction: 'With the e-mail and the password of a user of this installation.',
  operation: 'sign_in',
  fields: [
    ['email', 'E-mail', 'type="email" autocomplete="username"'],
    ['password', 'Password', 'type="password" autocomplete="current-password"'],
  ],
  hasToken: false,
  button: 'Sign in',
};

const style = `
body { font: 16px/1.5 system-ui, sans-serif; max-width: 26rem; margin: 10vh auto; padding: 0 1rem; color-scheme: light dark; }
label { display: block; margin: 0.75rem 0; }
input { display: block; width: 100%; font: inherit; padding: 0.4rem; box-sizing: border-box; }
button { font: inherit; padding: 0.5rem 1rem; }
output { display: block; min-height: 1.5em; color: light-dark(#a00, #f88); }
`;

const scriptOf = ({ operation, hasToken }: SignUpPage) => `
const form = document.querySelector('form');
const problem = document.querySelector('output');
const token = location.hash.slice(1);
const isTokenMissing = ${hasToken} && token === '';
history.replaceState(null, '', location.pathname);
if (isTokenMissing) problem.textContent = 'The link is not whole: its part behind # is missing.';
async function call(operation, input) {
  const answer = await fetch('${apiPath}/' + operation, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(input),
  });
  const result = await answer.json().catch(() => ({ message: 'The answer cannot be read.' }));
  if (!answer.ok) throw new Error(result.message);
  return result;
}
function paragraph(text) {
  const made = document.createElement('p');
  made.textContent = text;
  return made;
}
// An application key of the oldest workspace that the user may administer.
async function makeKey(place) {
  try {
    const name = 'made_' + Date.now();
    const grant = { principal_kind: 'app', resource_kind: '*', resource_id: '*' };
    const { key } = await call('create_api_key', { name, access_grants: [grant] });
    const shown = document.createElement('code');
    shown.textContent = key;
    const line = paragraph('Your API key akn_' + name + ', shown this once; send it as header service-api-key: ');
    line.append(shown);
    place.replaceWith(line);
  } catch (error) {
    place.replaceWith(paragraph(error.message));
  }
}
form.addEventListener('submit', async (event) => {
  event.preventDefault();
  try {
    const fields = Object.fromEntries(new FormData(form));
    const result = await call('${operation}', ${hasToken ? '{ token, ...fields }' : 'fields'});
    const button = document.createElement('button');
    button.textContent = 'Make an API key';
    button.addEventListener('click', () => makeKey(button));
    const docs = '. The description of the API is at ${apiPath}/docs.';
    form.replaceWith(paragraph('You are signed in as ' + result.user.email + docs), button);
    ${operation === 'setup' ? 'await makeKey(button);' : ''}
  } catch (error) {
    problem.textContent = error.message;
  }
});
`;

function htmlOf(page: SignUpPage): string {
  const fields = page.fields.map(
    ([field, label, attributes]) => `<label>${label} <input name="${field}" required ${attributes}></label>`,
  );
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${page.title}</title>
<style>${style}</style>
<h1>${page.title}</h1>
<p>${page.introduction}</p>
<form>
${fields.join('\n')}
<output aria-live="polite"></output>
<button>${page.button}</button>
</form>
<script>${scriptOf(page)}</script>
</html>
`;
}

const sourceHash = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

function policyOf(page: SignUpPage): string {
  return [
    "default-src 'none'",
    "connect-src 'self'",
    `script-src ${sourceHash(scriptOf(page))}`,
    `style-src ${sourceHash(style)}`,
    "form-action 'none'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; ');
}

/** The sign-up and sign-in pages. They are self-contained, so that they work without a console. */
export const signUpHandlers = {
  setup: answerPage(setup),
  join: answerPage(invitation),
  signIn: answerPage(signIn),
} as const;

function answerPage(page: SignUpPage): Handler {
  const html = htmlOf(page);
  const policy = policyOf(page);
  return (request: IncomingMessage, response: ServerResponse) => {
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    response.setHeader('content-type', isRead ? 'text/html; charset=utf-8' : 'text/plain; charset=utf-8');
    response.setHeader('content-security-policy', policy);
    response.setHeader('referrer-policy', 'no-referrer');
    response.setHeader('cache-control', 'no-store');
    if (isRead) {
      response.writeHead(200).end(html);
      return;
    }
    response.setHeader('allow', 'GET, HEAD');
    response.setHeader('connection', 'close');
    response.writeHead(405).end(`${pathOf(request)}: GET only`);
  };
}
