/** The servers outside that one pass over every operation needs: a tracker, a git provider and an OAuth provider. */
import { OAuthForge } from "../integrations/oauth-forge.ts";
import { startWalkedGit } from "./git/repository-scenario.ts";
import { startWalkedTracker } from "./tracker/tracker-scenario.ts";

type Servers = Readonly<{
	tracker: Awaited<ReturnType<typeof startWalkedTracker>>;
	git: Awaited<ReturnType<typeof startWalkedGit>>;
	login: OAuthForge;
}>;

/** Running servers; their owner disposes of them. */
export class WalkedServers implements AsyncDisposable {
	readonly #servers: Servers;

	private constructor(servers: Servers) {
		this.#servers = servers;
	}

	static async start(): Promise<WalkedServers> {
		const tracker = await startWalkedTracker();
		const git = await startWalkedGit();
		return new WalkedServers({ tracker, git, login: await OAuthForge.open() });
	}

	/** The configuration that makes them those of a platform. */
	get config(): object {
		const { tracker, git, login } = this.#servers;
		return { ...tracker.config, ...git.config, ...login.config };
	}

	get login(): OAuthForge {
		return this.#servers.login;
	}

	async [Symbol.asyncDispose](): Promise<void> {
		const { tracker, git, login } = this.#servers;
		await tracker.fake[Symbol.asyncDispose]();
		await git.stage[Symbol.asyncDispose]();
		await login[Symbol.asyncDispose]();
	}
}
