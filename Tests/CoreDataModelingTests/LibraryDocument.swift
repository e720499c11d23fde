// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The library as Xcode's editor would write it.

enum LibraryDocument {
    static let text = """
        <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
        <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0" sourceLanguage="Swift" userDefinedModelVersionIdentifier="">
            <entity name="Publication" representedClassName="Publication" isAbstract="YES" syncable="YES">
                <attribute name="title" attributeType="String" defaultValueString=""/>
                <attribute name="published" optional="YES" attributeType="Date" usesScalarValueType="NO"/>
                <attribute name="pages" attributeType="Integer 32" defaultValueString="0" usesScalarValueType="YES"/>
            </entity>
            <entity name="Book" representedClassName="Book" parentEntity="Publication" elementID="Volume" versionHashModifier="2" syncable="YES">
                <attribute name="isbn" optional="YES" attributeType="String"/>
                <attribute name="shop" attributeType="String" defaultValueString="main"/>
                <attribute name="number" attributeType="Integer 64" defaultValueString="0" usesScalarValueType="YES"/>
                <attribute name="size" optional="YES" attributeType="Integer 16" usesScalarValueType="YES"/>
                <attribute name="weight" attributeType="Double" defaultValueString="0.5" usesScalarValueType="YES"/>
                <attribute name="rating" optional="YES" attributeType="Float" usesScalarValueType="YES"/>
                <attribute name="price" attributeType="Decimal" defaultValueString="9.95"/>
                <attribute name="isLent" attributeType="Boolean" defaultValueString="NO" usesScalarValueType="YES"/>
                <attribute name="copies" optional="YES" attributeType="Integer 64" defaultValueString="1" usesScalarValueType="YES"/>
                <attribute name="id" optional="YES" attributeType="UUID" elementID="key" versionHashModifier="k"/>
                <attribute name="source" attributeType="URI"/>
                <attribute name="cover" optional="YES" attributeType="Binary" allowsExternalBinaryDataStorage="YES"/>
                <attribute name="text" attributeType="Binary"/>
                <attribute name="genre" attributeType="String" defaultValueString="novel"/>
                <attribute name="secondGenre" optional="YES" attributeType="String"/>
                <attribute name="firstGenre" attributeType="String"/>
                <attribute name="condition" attributeType="Integer 16" defaultValueString="2" usesScalarValueType="YES"/>
                <attribute name="marks" attributeType="Integer 32" defaultValueString="0" usesScalarValueType="YES"/>
                <attribute name="places" attributeType="Transformable" valueTransformerName="Places"/>
                <attribute name="home" attributeType="Transformable" valueTransformerName="Home"/>
                <attribute name="words" optional="YES" attributeType="Transformable" valueTransformerName="NSSecureUnarchiveFromData"/>
                <attribute name="isOpen" transient="YES" attributeType="Boolean" defaultValueString="NO" usesScalarValueType="YES"/>
                <relationship name="author" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Writer" inverseName="books" inverseEntity="Writer"/>
                <relationship name="chapters" optional="YES" toMany="YES" deletionRule="Cascade" ordered="YES" destinationEntity="Chapter" inverseName="book" inverseEntity="Chapter"/>
                <relationship name="tags" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="Tag" inverseName="books" inverseEntity="Tag"/>
                <relationship name="branches" toMany="YES" maxCount="3" deletionRule="Nullify" destinationEntity="Branch" inverseName="books" inverseEntity="Branch"/>
                <uniquenessConstraints>
                    <uniquenessConstraint><constraint value="isbn"/></uniquenessConstraint>
                    <uniquenessConstraint><constraint value="shop"/><constraint value="number"/></uniquenessConstraint>
                </uniquenessConstraints>
            </entity>
            <entity name="Magazine" representedClassName="Magazine" parentEntity="Publication" syncable="YES">
                <attribute name="issue" attributeType="Integer 32" defaultValueString="1" usesScalarValueType="YES"/>
            </entity>
            <entity name="Writer" representedClassName="Author" syncable="YES">
                <attribute name="name" attributeType="String" defaultValueString=""/>
                <attribute name="default" attributeType="Boolean" defaultValueString="NO" usesScalarValueType="YES"/>
                <relationship name="books" optional="YES" toMany="YES" deletionRule="Deny" destinationEntity="Book" inverseName="author" inverseEntity="Book"/>
            </entity>
            <entity name="Chapter" representedClassName="Chapter" syncable="YES">
                <attribute name="heading" optional="YES" attributeType="String"/>
                <relationship name="book" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Book" inverseName="chapters" inverseEntity="Book"/>
            </entity>
            <entity name="Tag" representedClassName="Tag" syncable="YES">
                <attribute name="name" attributeType="String" defaultValueString="new"/>
                <relationship name="books" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="Book" inverseName="tags" inverseEntity="Book"/>
                <relationship name="parent" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Tag"/>
                <uniquenessConstraints>
                    <uniquenessConstraint><constraint value="name"/></uniquenessConstraint>
                </uniquenessConstraints>
            </entity>
            <entity name="Branch" representedClassName="Branch" syncable="YES">
                <attribute name="town" attributeType="String" defaultValueString=""/>
                <relationship name="books" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="Book" inverseName="branches" inverseEntity="Book"/>
            </entity>
        </model>
        """
}
