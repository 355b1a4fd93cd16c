/** Serves real git repositories over HTTP with a password: `git http-backend` behind a small server on loopback. */
import { spawn } from "node:child_process";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { reachableServer } from "../machine/reachable-url.ts";
import { closeAtOnce, listenOnLoopback, loopbackUrl } from "../machine/loopback-server.ts";

export interface GitHttpServer extends AsyncDisposable {
	/** The URL, e.g. `http://127.0.0.1:34567`; repositories are below it by their path below `root`. */
	readonly url: string;
	/** The password that clients need from now on. */
	password: string;
}

/** Serves the repositories below `root` to clients with the user and password. */
export async function serveGit(root: string, user: string, password: string): Promise<GitHttpServer> {
	const server = createServer((request, response) => {
		const expected = `Basic ${Buffer.from(`${user}:${served.password}`).toString("base64")}`;
		if (request.headers.authorization === expected) runBackend(root, request, response);
		else response.writeHead(401, { "www-authenticate": 'Basic realm="git"' }).end();
	});
	await listenOnLoopback(server);
	const served: GitHttpServer = {
		url: await reachableServer(loopbackUrl(server)),
		password,
		async [Symbol.asyncDispose]() {
			await closeAtOnce(server);
		},
	};
	return served;
}

/**
 * Runs the backend by CGI (RFC 3875): the request is in variables and on standard input, the answer on standard output.
 */
export function runBackend(root: string, request: IncomingMessage, response: ServerResponse): void {
	const { pathname, search } = new URL(request.url ?? "/", "http://git");
	const backend = spawn("git", ["http-backend"], {
		env: {
			PATH: process.env["PATH"],
			GIT_PROJECT_ROOT: root,
			GIT_HTTP_EXPORT_ALL: "1",
			GIT_CONFIG_COUNT: "1",
			GIT_CONFIG_KEY_0: "safe.directory",
			GIT_CONFIG_VALUE_0: "*",
			GIT_PROTOCOL: String(request.headers["git-protocol"] ?? ""),
			HTTP_CONTENT_ENCODING: String(request.headers["content-encoding"] ?? ""),
			PATH_INFO: decodeURIComponent(pathname),
			QUERY_STRING: search.slice(1),
			REQUEST_METHOD: request.method,
			CONTENT_TYPE: request.headers["content-type"],
			REMOTE_USER: "test",
		},
		stdio: ["pipe", "pipe", "ignore"],
	});
	request.pipe(backend.stdin);
	const chunks: Buffer[] = [];
	backend.stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
	backend.on("close", () => {
		const answer = Buffer.concat(chunks);
		const end = answer.indexOf("\r\n\r\n");
		const head = answer.toString("latin1", 0, end).split("\r\n");
		const fields = head.map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 1).trim()]);
		const { Status: status = "200", ...headers } = Object.fromEntries(fields) as Record<string, string>;
		response.writeHead(Number.parseInt(status, 10), headers).end(answer.subarray(end + 4));
	});
}
