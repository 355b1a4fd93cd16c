/** A git repository over HTTP whose server delays every request until it is released. */
import { once } from "node:events";
import { createReadStream, existsSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { join, normalize } from "node:path";
import { git, makeRepository } from "./git-repository.ts";
import { closeAtOnce } from "../machine/loopback-server.ts";

export interface StallingRepository extends AsyncDisposable {
	readonly url: string;
	/** The count of waiting requests. */
	readonly waiting: number;
	/** Answers all waiting and future requests. */
	release(): void;
}

const root = "/repository.git";

function pathIn(url = "/"): string {
	return new URL(url, "http://localhost").pathname.replace(root, "");
}

/** Starts the server. @param folder The folder for the repository. */
export async function startStallingRepository(folder: string): Promise<StallingRepository> {
	makeRepository(folder);
	const files = join(folder, ".git");
	git(folder, ["update-server-info"]);
	const waiting: (() => void)[] = [];
	let released = false;
	const server = createServer((request, response) => {
		const file = join(files, normalize(pathIn(request.url)));
		const answer = () => {
			if (!existsSync(file) || !statSync(file).isFile()) return response.writeHead(404).end();
			return createReadStream(file).pipe(response);
		};
		if (released) answer();
		else waiting.push(answer);
	}).listen(0, "127.0.0.1");
	await once(server, "listening");
	const address = server.address();
	const port = typeof address === "object" && address !== null ? address.port : 0;
	return {
		url: `http://127.0.0.1:${port}${root}`,
		get waiting() {
			return waiting.length;
		},
		release() {
			released = true;
			for (const answer of waiting.splice(0)) answer();
		},
		async [Symbol.asyncDispose]() {
			await closeAtOnce(server);
		},
	};
}
