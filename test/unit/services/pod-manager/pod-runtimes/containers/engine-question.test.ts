import { expect } from "chai";
import { engineUnusableBecause } from "#services/pod-manager/pod-runtimes/containers/engine-question.ts";
import { FakeEngine } from "../../../../../support/containers/fake-engine.ts";

describe("engineUnusableBecause", () => {
	const host = { dataDir: "/srv/atelier" };
	let engine: FakeEngine;

	beforeEach(() => {
		engine = new FakeEngine();
	});
	afterEach(() => engine[Symbol.asyncDispose]());

	it("has no reason when an engine has the image", async () => {
		await engine.start();
		expect(await engineUnusableBecause({ socket: engine.socket }, host)).to.equal(undefined);
	});

	it("does not choose an engine whose containers do not reach the sockets of this machine", async () => {
		await engine.start();
		engine.system = "Docker Desktop";
		expect(await engineUnusableBecause({ socket: engine.socket }, host)).to.include("on-your-own-laptop");
	});

	it("names the image that is missing, and an engine that is not there", async () => {
		await engine.start();
		engine.hasImages = false;
		expect(await engineUnusableBecause({ socket: engine.socket, image: "mine:1" }, host)).to.include(
			'no image "mine:1"',
		);
		await engine.stop();
		expect(await engineUnusableBecause({ socket: engine.socket }, host)).to.include(`listens at "${engine.socket}"`);
	});
});
