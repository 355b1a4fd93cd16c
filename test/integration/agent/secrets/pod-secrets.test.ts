/**
 * The secrets of a launch in a real pod: where they are, who can read them, and what a hostile launch cannot do.
 * Long: it starts pods.
 */
import { expect } from "chai";
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { PodSecrets } from "#shared/contracts/credentials/pod-secrets.ts";
import { TestSession } from "../../../support/pods/test-pod.ts";
import { serveGit } from "../../../support/repositories/git-http-server.ts";
import { makeRepository } from "../../../support/repositories/git-repository.ts";

const none: PodSecrets = { variables: {}, files: [], git_credentials: [], warnings: [] };

function home(path: string, content = "canary"): PodSecrets["files"][number] {
	return { root: "home", path, content };
}

describe("the secrets of a launch", function () {
	this.timeout(60_000);

	it("are in the programs of the pod and in one folder, and the log hides them", async () => {
		await using session = new TestSession();
		const secrets_folder = join(session.folder, "run-g1", "secrets");
		const pod = await session.start({
			secrets_folder,
			secrets: {
				variables: { TOKEN: "canary-variable", PATH: "/evil" },
				files: [
					home(".ssh/id_rsa", "canary-file"),
					{ root: "secrets", path: "tls/certificate", content: "canary-cert" },
				],
				git_credentials: ["https://me:canary-git@git.example"],
				warnings: ['credential "x" does not exist'],
			},
			setup_scripts: ['echo "set up with $TOKEN"; cat ~/.ssh/id_rsa; printf %s "$TOKEN" > seen'],
		});
		expect(readFileSync(join(session.workspace, "seen"), "utf8")).to.equal("canary-variable");
		const asked = await pod.ask(
			'$ printf %s "$TOKEN" | sed "s/./& /g"; sed "s/./& /g" "$ATELIER_SECRETS/tls/certificate"; echo; echo $PATH',
		);
		expect(asked.content)
			.to.contain("c a n a r y - v a r i a b l e")
			.and.contain("c a n a r y - c e r t")
			.and.not.contain("/evil");
		const logs = (await pod.logs()).join("\n");
		expect(logs).to.contain("set up with ***").and.contain('credential "x" does not exist').and.not.contain("canary");
		expect(readdirSync(secrets_folder).toSorted()).to.deep.equal(["env.sh", "files", "git-credentials", "tls"]);
		for (const file of ["env.sh", "git-credentials", "files/0", "tls/certificate"])
			expect(lstatSync(join(secrets_folder, file)).mode & 0o777, file).to.equal(0o600);
		expect(lstatSync(secrets_folder).mode & 0o777).to.equal(0o700);
		expect(lstatSync(join(pod.launch.home, ".ssh/id_rsa")).isSymbolicLink(), "removed with the folder").to.equal(true);
	});

	it("go to no other place, whatever the launch says", async () => {
		await using session = new TestSession();
		const launch = session.launch();
		const elsewhere = join(session.folder, "elsewhere");
		mkdirSync(elsewhere);
		writeFileSync(join(launch.home, "taken"), "mine");
		symlinkSync(elsewhere, join(launch.home, "link"));
		symlinkSync(join(elsewhere, "target"), join(launch.home, "dangling"));
		const paths = [
			"../x",
			"/x",
			"a/../../x",
			"link/x",
			"dangling",
			"taken",
			"",
			".",
			"a//b",
			".gitconfig",
			"\0",
			"-rf",
		];
		const pod = await session.start({
			home: launch.home,
			secrets: { ...none, files: [...paths.map((path) => home(path)), home("good/one")] },
		});
		expect(readdirSync(elsewhere)).to.deep.equal([]);
		expect(readFileSync(join(launch.home, "taken"), "utf8")).to.equal("mine");
		expect(readFileSync(join(launch.home, "good/one"), "utf8")).to.equal("canary");
		expect(existsSync(join(session.folder, "x"))).to.equal(false);
		const warnings = (await pod.logs()).filter((line) => line.includes("of a credential cannot be written"));
		expect(warnings).to.have.length(paths.length);
	});

	it("are told to no other helper of git, so that none stores them", async () => {
		await using session = new TestSession();
		makeRepository(join(session.folder, "srv/origin"), { "README.md": "private\n" });
		await using server = await serveGit(join(session.folder, "srv"), "ada", "canary-git");
		const person = join(session.folder, "person");
		mkdirSync(person);
		writeFileSync(join(person, ".gitconfig"), "[credential]\n\thelper = store\n");
		const url = `${server.url}/origin/.git`;
		const pod = await session.start({
			git_home: person,
			repositories: [{ url, branch: "main", base_branch: "", path: "" }],
			secrets: { ...none, git_credentials: [server.url.replace("//", "//ada:canary-git@")] },
		});
		expect(readdirSync(person)).to.deep.equal([".gitconfig"]);
		const seen = await pod.ask("$ git fetch -q && cat README.md .git/config ~/.gitconfig; env; cat .git/FETCH_HEAD");
		expect(seen.content).to.contain("private").and.not.contain("canary");
	});

	it("get newer values while the pod runs: for git, in files, for programs that begin; the log hides them", async () => {
		await using session = new TestSession();
		makeRepository(join(session.folder, "srv/origin"), { "README.md": "private\n" });
		await using server = await serveGit(join(session.folder, "srv"), "ada", "canary-old");
		const secretsOf = (value: string): PodSecrets => ({
			...none,
			variables: { TOKEN: value },
			files: [home("token", value), { root: "secrets", path: "deep/token", content: value }],
			git_credentials: [server.url.replace("//", `//ada:${value}@`)],
		});
		const pod = await session.start({
			repositories: [{ url: `${server.url}/origin/.git`, branch: "main", base_branch: "", path: "" }],
			secrets: secretsOf("canary-old"),
		});
		server.password = "canary-new";
		const look =
			'$ git fetch -q 2>&1 && echo fetched; for f in ~/token "$ATELIER_SECRETS/deep/token"; do sed "s/./& /g" $f; echo; done';
		expect((await pod.ask(look)).content).to.not.contain("fetched");
		const sent = await pod.command("/api/secrets", secretsOf("canary-new"));
		expect(sent).to.deep.equal({ status: 200, body: { applied: true } });
		const { content } = await pod.ask(look);
		expect(content).to.contain("fetched");
		expect(content.match(/c a n a r y - n e w/g)).to.have.length(2);
		const begun = await pod.ask('$ . "$ATELIER_SECRETS/env.sh"; printf %s "$TOKEN" | sed "s/./& /g"');
		expect(begun.content).to.contain("c a n a r y - n e w");
		expect((await pod.logs()).join("\n")).to.not.contain("canary");
	});

	it("get no variable and no git host that the launch did not have, and lose those that are gone", async () => {
		await using session = new TestSession();
		const had = {
			...none,
			variables: { OLD: "one", GONE: "two" },
			git_credentials: ["https://me:old-token@git.example"],
		};
		const secrets_folder = join(session.folder, "run-g1", "secrets");
		const pod = await session.start({ secrets_folder, secrets: had });
		const placed = () => ["env.sh", "git-credentials"].map((name) => readFileSync(join(secrets_folder, name), "utf8"));
		const newer = {
			...none,
			variables: { OLD: "three", LATER: "four" },
			git_credentials: ["https://me:new-token@git.example", "https://me:later@other.example"],
		};
		expect((await pod.command("/api/secrets", newer)).status).to.equal(200);
		const [environment, lines] = placed();
		expect(environment)
			.to.contain("three")
			.and.not.match(/LATER|four|GONE|two/);
		expect(lines).to.equal("https://me:new-token@git.example\n");
		expect((await pod.command("/api/secrets", none)).status).to.equal(200);
		expect(placed()[0]).to.not.contain("three");
		expect(placed()[1]).to.equal("");
	});

	it("get newer values only where the launch has put some, through no link of the agent", async () => {
		await using session = new TestSession();
		const elsewhere = join(session.folder, "elsewhere");
		mkdirSync(elsewhere);
		writeFileSync(join(elsewhere, "token"), "mine");
		const pod = await session.start({ secrets: { ...none, files: [home("a/token-file", "old")] } });
		const link = `$ rm ~/a/token-file && ln -s ${elsewhere}/token ~/a/token-file; rm -r "$ATELIER_SECRETS/files"; ln -s ${elsewhere} "$ATELIER_SECRETS/files"`;
		await pod.ask(link);
		const newer = {
			...none,
			files: [home("a/token-file", "a/token-file"), home("b/token", "new"), home("../x", "new")],
		};
		expect((await pod.command("/api/secrets", newer)).status).to.equal(200);
		// The log names the file that could not be replaced, and hides the new value, which is the same text here.
		expect((await pod.logs()).join("\n")).to.contain('"***" of a credential cannot be replaced');
		expect(readdirSync(elsewhere)).to.deep.equal(["token"]);
		expect(readFileSync(join(elsewhere, "token"), "utf8")).to.equal("mine");
		expect(existsSync(join(pod.launch.home, "b"))).to.equal(false);
		expect((await pod.command("/api/secrets", { files: "all" })).status).to.equal(400);
		const stranger = await fetch(`${pod.url}/api/secrets`, { method: "POST", body: JSON.stringify(newer) });
		expect(stranger.status, "only the platform has the key").to.equal(401);
	});
});
