// Package kvvm is Deckhouse's controller of VirtualMachines.
package kvvm
