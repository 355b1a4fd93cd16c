/** Leases on the stores that need no server. */
import { leaseCollection } from "#shared/store/leases/lease-collection.ts";
import { openEmbedded, openOnEndpoint } from "../../support/stores/open-stores.ts";
import { describeLeases } from "./leases.contract.ts";

describeLeases("SQLite", () => openEmbedded([leaseCollection]));
describeLeases("MongoDB's wire protocol", () => openOnEndpoint([leaseCollection]));
