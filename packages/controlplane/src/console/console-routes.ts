import { fileURLToPath } from 'node:url';
import { ownFilesPolicy, protectPage } from '../http/content-policy.ts';
import { type Handler, pathOf, type RouteHandlers } from '../http/route-table.ts';
import { BuiltFiles } from './built-files.ts';
import { pagesWithoutBuild } from './pages-without-build.ts';
import { endWithText, sendFile } from './send-file.ts';

/** Where `npm run build:console` writes. */
const usualFolder = fileURLToPath(new URL('../../../console/dist/', import.meta.url));

const policy = ownFilesPolicy();

/** Names of assets have a hash of their content. */
const assetCaching = 'public, max-age=31536000, immutable';

type ConsoleRouteName =
  | 'root'
  | 'setup'
  | 'join'
  | 'signIn'
  | 'consoleClusters'
  | 'consoleCluster'
  | 'consoleKeys'
  | 'consoleMcp'
  | 'consoleTeam'
  | 'consoleTeamPage'
  | 'consoleAuditLog'
  | 'consoleWorkspaces'
  | 'consoleOwnAccount'
  | 'consoleUnknown'
  | 'consoleAssets'
  | 'consoleTheme'
  | 'consoleIcon';

interface ConsoleRoutesOptions {
  /** Answers the root where there is no console: a process from sources that were never built. */
  readonly answerRoot: Handler;
  readonly folder?: string;
}

/** Pages and assets of the console. A page is one document; its script reads the path. */
export function consoleHandlers({
  answerRoot,
  folder = usualFolder,
}: ConsoleRoutesOptions): RouteHandlers<ConsoleRouteName> {
  let opened: Promise<BuiltFiles | undefined> | undefined;
  /** A build that is made while the process runs is found by the next request. */
  const built = async () => {
    opened ??= BuiltFiles.open(folder);
    const found = await opened;
    if (found === undefined) opened = undefined;
    return found;
  };

  const page =
    (otherwise: Handler, status = 200): Handler =>
    async (request, response) => {
      const document = await (await built())?.file('/index.html');
      if (document === undefined) return otherwise(request, response);
      protectPage(response, policy);
      sendFile(request, response, document, { caching: 'no-cache', status });
    };

  const file =
    (caching: string): Handler =>
    async (request, response) => {
      const found = await (await built())?.file(pathOf(request));
      if (found === undefined) return answerNotBuilt(request, response);
      sendFile(request, response, found, { caching });
    };

  return {
    root: page(answerRoot),
    setup: page(pagesWithoutBuild.setup),
    join: page(pagesWithoutBuild.join),
    signIn: page(pagesWithoutBuild.signIn),
    consoleClusters: page(answerNotBuilt),
    consoleCluster: page(answerNotBuilt),
    consoleKeys: page(answerNotBuilt),
    consoleMcp: page(answerNotBuilt),
    consoleTeam: page(answerNotBuilt),
    consoleTeamPage: page(answerNotBuilt),
    consoleAuditLog: page(answerNotBuilt),
    consoleWorkspaces: page(answerNotBuilt),
    consoleOwnAccount: page(answerNotBuilt),
    consoleUnknown: page(answerNotBuilt, 404),
    consoleAssets: file(assetCaching),
    consoleTheme: file('no-cache'),
    consoleIcon: file('no-cache'),
  };
}

const answerNotBuilt: Handler = (request, response) =>
  endWithText(
    response,
    404,
    `${pathOf(request)}: not found, or the console is not built yet (npm run build:console)`,
  );
