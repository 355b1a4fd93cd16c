/**
 * Loaded by mocha before a suite: the platform of every test that starts a whole platform is a cluster then, two
 * processes of each kind over NATS and MongoDB, with both gateways in turn behind one address. The tests are the same.
 */
import Mocha from "mocha";
import { startPlatformsBy, type PlatformOptions, TestPlatform } from "../platform/start-platform.ts";
import { startCluster } from "./start-cluster.ts";

/** Six processes and two servers start more slowly than one process. */
const patience = 5;

startPlatformsBy(startClustered);
waitLonger();

function waitLonger(): void {
	const timeout: (this: object, ms?: string | number) => unknown = Reflect.get(Mocha.Suite.prototype, "timeout");
	Reflect.set(Mocha.Suite.prototype, "timeout", function longer(this: object, ms?: string | number) {
		return ms === undefined ? timeout.call(this) : timeout.call(this, patience * Number(ms));
	});
}

async function startClustered({ config = {}, env, root, dataDir }: PlatformOptions): Promise<TestPlatform> {
	const identity = { adapter: "test/support/cluster/dev-over-bus.ts#DevOverBus" };
	const cluster = await startCluster({
		podManagers: 2,
		isBalanced: true,
		config: { ...config, identity: Object.assign(identity, config["identity"]) },
		...(env && { env }),
		...(root !== undefined && { root }),
		...(dataDir !== undefined && { dataDir }),
	});
	const { platform } = cluster;
	const alone = TestPlatform.prototype[Symbol.asyncDispose];
	platform[Symbol.asyncDispose] = () => {
		// The cluster disposes of the platform among its other resources.
		platform[Symbol.asyncDispose] = alone;
		return cluster[Symbol.asyncDispose]();
	};
	console.log(`      on ${cluster.members.map(({ name }) => name).join(", ")}`);
	return platform;
}
