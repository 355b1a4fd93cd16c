import { expect } from "chai";
import { offeredImage, offeredPlacement } from "#services/pod-manager/pod-runtimes/kubernetes/objects/offers.ts";
import { SessionObjects } from "#services/pod-manager/pod-runtimes/kubernetes/objects/session-objects.ts";
import { PodRefused } from "#services/pod-manager/pod-refused.ts";
import { FakeApi } from "../../../../../../support/kubernetes/fake-api.ts";
import { clientOf } from "../../../../../../support/kubernetes/fake-api-client.ts";
import { podPlan } from "../../../../../../support/kubernetes/pods/pod-plan.ts";

const own = "registry.example/atelier/session@sha256:0a";
const offered = { image: own, images: ["alpine/git:2"], ownImages: ["company/session:1"] };

describe("offeredImage()", () => {
	it("is that of sessions where none is named, or it is named itself", () => {
		expect(offeredImage(undefined, offered)).to.deep.equal({ image: own });
		expect(offeredImage(own, offered)).to.deep.equal({ image: own });
	});

	it("gets the agent unless the operator says that it has one", () => {
		expect(offeredImage("alpine/git:2", offered)).to.deep.equal({ image: "alpine/git:2", deliveredBy: own });
		expect(offeredImage("company/session:1", offered)).to.deep.equal({ image: "company/session:1" });
		const all = { ...offered, images: ["*"] };
		expect(offeredImage("company/session:1", all)).to.deep.equal({ image: "company/session:1" });
		expect(offeredImage("any", all)).to.deep.equal({ image: "any", deliveredBy: own });
	});

	it("is refused for good when the operator does not offer it", () => {
		expect(() => offeredImage("company/session:2", offered))
			.to.throw(PodRefused, 'does not offer the image "company/session:2"')
			.with.property("final", true);
	});
});

describe("offeredPlacement()", () => {
	const placements = { default: { storageClass: "usual" }, fast: { storageClass: "nvme" } };

	it("is the one of the name, and takes nothing from another one", () => {
		expect(offeredPlacement("fast", placements)).to.equal(placements.fast);
		expect(offeredPlacement(undefined, placements)).to.equal(placements.default);
	});

	it("is the cluster's own where the operator has none for all", () => {
		expect(offeredPlacement(undefined, {})).to.deep.equal({});
		expect(offeredPlacement("default", { fast: {} })).to.deep.equal({});
	});

	it("is refused for good by a sentence with the names that there are", () => {
		expect(() => offeredPlacement("slow", placements))
			.to.throw(PodRefused, 'does not offer the placement "slow"; it may be one of default, fast (')
			.with.property("final", true);
		expect(() => offeredPlacement("toString", {})).to.throw(PodRefused, "one of default (");
	});

	it("names twenty at most", () => {
		const many = Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`place-${index}`, {}]));
		expect(() => offeredPlacement("slow", many)).to.throw(/^.{1,500}, … \(/);
	});
});

describe("a placement whose storage class is another one", () => {
	it("leaves a volume that is there as it is", async () => {
		await using api = await FakeApi.start();
		const { client } = clientOf(api);
		const objects = new SessionObjects(client, "sessions", podPlan({}).installation);
		const claims = "/api/v1/namespaces/sessions/persistentvolumeclaims";
		const classes = () => api.cluster.list(claims).map((claim) => Object(claim)["spec"].storageClassName);
		try {
			await objects.make(podPlan({ placement: { storageClass: "usual" } }));
			await objects.make(podPlan({ generation: 2, placement: { storageClass: "nvme" } }));
			expect(classes()).to.deep.equal(["usual"]);
			await objects.make(podPlan({ generation: 3, workspaceId: "other", placement: { storageClass: "nvme" } }));
			expect(classes()).to.deep.equal(["usual", "nvme"]);
		} finally {
			client.close();
		}
	});
});
